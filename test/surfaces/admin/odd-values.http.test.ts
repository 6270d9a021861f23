import { beforeAll, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { atScale } from '../../support/run/extent.js';
import { suiteApp } from '../../support/suite.js';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
}

const heliograph = suiteApp({ role: 'api' });
/** URL-encoded values. */
const ODD_VALUES = [
  '',
  '7',
  'null',
  '-1',
  '1e400',
  '%00',
  'a%00b',
  '%5B%5D',
  '%7B%7D',
  '..%2F..',
  '%25',
  '%F0%9F%98%80',
  'x'.repeat(90),
  // If these IDs are read as UUIDv7, they have the smallest and the largest possible timestamp.
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
];
/** A quick run tests every third combination of value and parameter. */
const STRIDE = atScale({ full: 1, quick: 3 });
const BROKEN_ENCODINGS = ['%ff', '%', '%zz'];

let channel: TestChannel;
let owner: TestOperator;
let reads: { path: string; parameters: Parameter[] }[];

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  owner = await createTestOperator(heliograph);
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  reads = Object.entries<{ get?: { parameters?: Parameter[] } }>(paths)
    // A request to `/admin/v1/live` would not end, because it returns a stream.
    .filter(([path, { get }]) => path.startsWith('/admin/v1') && get && path !== '/admin/v1/live')
    .map(([path, { get }]) => ({ path: path.slice('/admin/v1'.length), parameters: get?.parameters ?? [] }));
});

const fillPath = (path: string, overrides: Record<string, string> = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const values: Record<string, string> = {
      accountId: channel.account.id,
      channelId: channel.channelId,
      ...overrides,
    };
    return values[name] ?? crypto.randomUUID();
  });

function makeUrls(location: 'path' | 'query', make: (path: string, name: string) => string[]): string[] {
  const urls = reads.flatMap(({ path, parameters }) =>
    parameters.filter((parameter) => parameter.in === location).flatMap(({ name }) => make(path, name)),
  );
  expect(urls.length).toBeGreaterThan(100);
  return urls.filter((_, index) => index % STRIDE === 0);
}

async function findServerErrors(urls: readonly string[]): Promise<string[]> {
  const failures: string[] = [];
  for (const url of urls) {
    const { statusCode, body } = await owner.ask('GET', url);
    if (statusCode >= 500) failures.push(`${url}: ${statusCode} ${body}`);
  }
  return failures;
}

it('no odd value in a path causes a server error', async () => {
  const urls = makeUrls('path', (path, name) =>
    [...ODD_VALUES, ...BROKEN_ENCODINGS].map((value) => fillPath(path, { [name]: value })),
  );
  expect(await findServerErrors(urls)).toEqual([]);
});

it('no odd value in a query causes a server error, sent once or twice', async () => {
  const urls = makeUrls('query', (path, name) => [
    ...[...ODD_VALUES, ...BROKEN_ENCODINGS].map((value) => `${fillPath(path)}?${name}=${value}`),
    `${fillPath(path)}?${name}=1&${name}=2`,
    `${fillPath(path)}?${name}[]=1`,
  ]);
  expect(await findServerErrors(urls)).toEqual([]);
});
