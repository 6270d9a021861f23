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
/** URL-encoded. */
const ODD = [
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
  // IDs of the first and the last possible moment.
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
];
/** A quick run tests every third pair of a value and a parameter. */
const STRIDE = atScale({ full: 1, quick: 3 });
const BROKEN = ['%ff', '%', '%zz'];

let channel: TestChannel;
let owner: TestOperator;
let reads: { path: string; parameters: Parameter[] }[];

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  owner = await createTestOperator(heliograph);
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  reads = Object.entries<{ get?: { parameters?: Parameter[] } }>(paths)
    // The stream would not end.
    .filter(([path, { get }]) => path.startsWith('/admin/v1') && get && path !== '/admin/v1/live')
    .map(([path, { get }]) => ({ path: path.slice('/admin/v1'.length), parameters: get?.parameters ?? [] }));
});

const fill = (path: string, more: Record<string, string> = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const known: Record<string, string> = { accountId: channel.account.id, channelId: channel.channelId, ...more };
    return known[name] ?? crypto.randomUUID();
  });

function urlsOf(place: 'path' | 'query', make: (path: string, name: string) => string[]): string[] {
  const urls = reads.flatMap(({ path, parameters }) =>
    parameters.filter((each) => each.in === place).flatMap(({ name }) => make(path, name)),
  );
  expect(urls.length).toBeGreaterThan(100);
  return urls.filter((_, index) => index % STRIDE === 0);
}

async function failuresOf(urls: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const url of urls) {
    const { statusCode, body } = await owner.ask('GET', url);
    if (statusCode >= 500) wrong.push(`${url}: ${statusCode} ${body}`);
  }
  return wrong;
}

it('no odd value in a path causes a server error', async () => {
  const urls = urlsOf('path', (path, name) => [...ODD, ...BROKEN].map((value) => fill(path, { [name]: value })));
  expect(await failuresOf(urls)).toEqual([]);
});

it('no odd value in a query causes a server error, sent once or twice', async () => {
  const urls = urlsOf('query', (path, name) => [
    ...[...ODD, ...BROKEN].map((value) => `${fill(path)}?${name}=${value}`),
    `${fill(path)}?${name}=1&${name}=2`,
    `${fill(path)}?${name}[]=1`,
  ]);
  expect(await failuresOf(urls)).toEqual([]);
});
