import { beforeAll, describe, expect, it } from 'vitest';
import { LENIENT_PATHS } from '../../../src/surfaces/http/input/strict-queries.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;
let operator: TestOperator;
/** Documented GET endpoints for callers with a key or a session. */
let paths: string[];
const names = new Map<string, string[]>();

interface Parameter {
  in: string;
  name: string;
}

/** An empty search matches everything, and the choices of Surface B count as absent (docs/contract.md). */
const mayBeEmpty = (path: string, name: string) =>
  name === 'search' || (path.startsWith('/api/v1/') && ['status', 'groupId', 'unread', 'windowOpen'].includes(name));

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  operator = await createTestOperator(heliograph);
  const { paths: all } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  paths = Object.entries(all as Record<string, object>)
    .filter(([path, methods]) => 'get' in methods && !path.startsWith('/health'))
    .map(([path]) => path);
  for (const path of paths) {
    const { parameters = [] } = all[path].get as { parameters?: Parameter[] };
    names.set(
      path,
      parameters.filter((each) => each.in === 'query').map((each) => each.name),
    );
  }
});

const patternOf = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Meta and Twilio ignore unknown parameters, and their clients send more than we document. */
const isStrict = (path: string) =>
  !LENIENT_PATHS.has(patternOf(path)) && !/^\/(?:graph|2010-04-01|v2\/Services)\//.test(path);

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

describe('an unknown query parameter', () => {
  it('gets 400 naming it on every GET, except those of the contract', async () => {
    const strict = paths.filter(isStrict);
    expect(strict.length).toBeGreaterThan(50);
    for (const path of strict) {
      const answer = await ask(path, 'createdFrom%20=x&Limit=3');
      expect(answer.statusCode, `${path}: ${answer.body}`).toBe(400);
      expect(answer.body, path).toContain('createdFrom ');
      expect(answer.body, path).toContain('Limit');
    }
  });

  it('is ignored on those of the contract', async () => {
    for (const path of [...LENIENT_PATHS].filter((each) => !each.startsWith('/admin'))) {
      const answer = await ask(path.replaceAll(/:(\w+)/g, '{$1}'), 'createdFrom=x');
      expect([200, 404], `${path}: ${answer.body}`).toContain(answer.statusCode);
    }
    expect([...LENIENT_PATHS].filter((each) => paths.map(patternOf).includes(each))).toHaveLength(LENIENT_PATHS.size);
  });

  it('is reported together with other problems', async () => {
    const answer = await ask('/v2/messages', 'createdFrom=2026-01-01T00:00:00Z&limit=0');
    const errors = answer.json().data.errors as { field: string }[];
    expect(errors.map(({ field }) => field).sort()).toEqual(['createdFrom', 'limit']);
  });
});

function fieldsOf(body: string): string[] {
  const { data, error } = JSON.parse(body);
  return (data?.errors ?? error.details).map(({ field }: { field: string }) => field);
}

describe('a query parameter without a value', () => {
  it('gets 400 naming it on every GET, unless it has a meaning of its own', async () => {
    const asked = paths.filter(isStrict).flatMap((path) => (names.get(path) ?? []).map((name) => ({ path, name })));
    expect(asked.length).toBeGreaterThan(80);
    const wrong: string[] = [];
    for (const { path, name } of asked) {
      // An accepted stream would not end.
      const { statusCode, body } = await ask(path, `${name}=`);
      const isRight = mayBeEmpty(path, name)
        ? statusCode === 200 || statusCode === 404
        : statusCode === 400 && fieldsOf(body).includes(name);
      if (!isRight) wrong.push(`${path}?${name}=: ${statusCode} ${body.slice(0, 200)}`);
    }
    expect(wrong).toEqual([]);
  });

  it('does not restart a list from the oldest entry, or match everything', async () => {
    for (const query of ['created_from=', 'status=', 'cursor=', 'to=']) {
      expect((await ask('/v2/messages', query)).statusCode, query).toBe(400);
    }
    const { statusCode, body } = await ask('/v2/changes', 'after=');
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).data.errors).toEqual([
      { field: 'after', message: 'must not be empty; leave it out instead' },
    ]);
  });
});
