import { beforeAll, describe, expect, it } from 'vitest';
import { LENIENT } from '../../../src/surfaces/http/strict-queries.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });
let channel: TestChannel;
let operator: TestOperator;
/** Every GET of the document that a caller with a key or a session may ask. */
let paths: string[];

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  operator = await createTestOperator(heliograph);
  const { paths: all } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  paths = Object.entries(all as Record<string, object>)
    .filter(([path, methods]) => 'get' in methods && !path.startsWith('/health'))
    .map(([path]) => path);
});

/** The pattern that an endpoint is registered under. */
const patternOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

async function ask(path: string, query: string) {
  const url = path
    .replace('{accountId}', channel.account.id)
    .replace('{channelId}', channel.channelId)
    .replaceAll(/\{\w+\}/g, '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55');
  const headers = path.startsWith('/admin')
    ? operator.headers
    : path.startsWith('/v')
      ? channel.account.headers
      : channel.headers;
  return heliograph.app.inject({ url: `${url}?${query}`, headers: headers as Record<string, string> });
}

describe('a name that a query does not have', () => {
  it('is 400 on every GET, naming it, but on those of the contract', async () => {
    const strict = paths.filter((path) => !LENIENT.has(patternOf(path)));
    expect(strict.length).toBeGreaterThan(50);
    for (const path of strict) {
      const answer = await ask(path, 'createdFrom%20=x&Limit=3');
      expect(answer.statusCode, `${path}: ${answer.body}`).toBe(400);
      expect(answer.body, path).toContain('createdFrom ');
      expect(answer.body, path).toContain('Limit');
    }
  });

  it('is let be on those of the contract', async () => {
    for (const path of [...LENIENT].filter((each) => !each.startsWith('/admin'))) {
      const answer = await ask(path.replaceAll(/:(\w+)/g, '{$1}'), 'createdFrom=x');
      expect([200, 404], `${path}: ${answer.body}`).toContain(answer.statusCode);
    }
    expect([...LENIENT].filter((each) => paths.map(patternOf).includes(each))).toHaveLength(LENIENT.size);
  });

  it('is told beside what else is wrong', async () => {
    const answer = await ask('/v2/messages', 'createdFrom=2026-01-01T00:00:00Z&limit=0');
    const errors = answer.json().data.errors as { field: string }[];
    expect(errors.map(({ field }) => field).sort()).toEqual(['createdFrom', 'limit']);
  });
});
