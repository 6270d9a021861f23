import { beforeAll, describe, expect, it } from 'vitest';
import { OPTIONAL_FILTERS } from '../../../src/surfaces/b/empty-filters.js';
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

/** An empty search matches everything, and an empty filter on Surface B counts as absent (docs/contract.md). */
const mayBeEmpty = (path: string, name: string) =>
  name === 'search' || (path.startsWith('/api/v1/') && (OPTIONAL_FILTERS as readonly string[]).includes(name));

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  operator = await createTestOperator(heliograph);
  const { paths: documentedPaths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  paths = Object.entries(documentedPaths as Record<string, object>)
    .filter(([path, methods]) => 'get' in methods && !path.startsWith('/health'))
    .map(([path]) => path);
  for (const path of paths) {
    const { parameters = [] } = documentedPaths[path].get as { parameters?: Parameter[] };
    names.set(
      path,
      parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name),
    );
  }
});

const toPattern = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Endpoints for Meta's and Twilio's clients are not strict, because the clients send more parameters than we document. */
const isStrict = (path: string) =>
  !LENIENT_PATHS.has(toPattern(path)) && !/^\/(?:graph|2010-04-01|v2\/Services)\//.test(path);

async function request(path: string, query: string) {
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
  it('gets a 400 that names it on every GET, except those of the contract', async () => {
    const strict = paths.filter(isStrict);
    expect(strict.length).toBeGreaterThan(50);
    for (const path of strict) {
      const response = await request(path, 'createdFrom%20=x&Limit=3');
      expect(response.statusCode, `${path}: ${response.body}`).toBe(400);
      expect(response.body, path).toContain('createdFrom ');
      expect(response.body, path).toContain('Limit');
    }
  });

  it('is ignored on the GET endpoints of the contract', async () => {
    for (const path of [...LENIENT_PATHS].filter((pattern) => !pattern.startsWith('/admin'))) {
      const response = await request(path.replaceAll(/:(\w+)/g, '{$1}'), 'createdFrom=x');
      expect([200, 404], `${path}: ${response.body}`).toContain(response.statusCode);
    }
    expect([...LENIENT_PATHS].filter((pattern) => paths.map(toPattern).includes(pattern))).toHaveLength(
      LENIENT_PATHS.size,
    );
  });

  it('is reported together with other problems', async () => {
    const response = await request('/v2/messages', 'createdFrom=2026-01-01T00:00:00Z&limit=0');
    const errors = response.json().data.errors as { field: string }[];
    expect(errors.map(({ field }) => field).sort()).toEqual(['createdFrom', 'limit']);
  });
});

function readErrorFields(body: string): string[] {
  const { data, error } = JSON.parse(body);
  return (data?.errors ?? error.details).map(({ field }: { field: string }) => field);
}

describe('a query parameter without a value', () => {
  it('gets a 400 that names it on every GET, unless an empty value has a meaning', async () => {
    const testedParameters = paths
      .filter(isStrict)
      .flatMap((path) => (names.get(path) ?? []).map((name) => ({ path, name })));
    expect(testedParameters.length).toBeGreaterThan(80);
    const failures: string[] = [];
    for (const { path, name } of testedParameters) {
      // If the server accepted an empty parameter of a stream, the request would not end.
      const { statusCode, body } = await request(path, `${name}=`);
      const isExpected = mayBeEmpty(path, name)
        ? statusCode === 200 || statusCode === 404
        : statusCode === 400 && readErrorFields(body).includes(name);
      if (!isExpected) failures.push(`${path}?${name}=: ${statusCode} ${body.slice(0, 200)}`);
    }
    expect(failures).toEqual([]);
  });

  it('does not restart a list from the oldest entry, or match everything', async () => {
    for (const query of ['created_from=', 'status=', 'cursor=', 'to=']) {
      expect((await request('/v2/messages', query)).statusCode, query).toBe(400);
    }
    const { statusCode, body } = await request('/v2/changes', 'after=');
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).data.errors).toEqual([
      { field: 'after', message: 'must not be empty; leave it out instead' },
    ]);
  });
});
