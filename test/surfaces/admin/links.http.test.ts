import { beforeEach, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createLink, visit } from '../../support/links.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const records = new Map<string, string[] | Error>();
const heliograph = suiteApp({
  role: 'api',
  settings: { PUBLIC_URL: 'https://messages.example.com' },
  resolveTxt: async (name) => {
    const storedRecords = records.get(name) ?? [];
    if (storedRecords instanceof Error) throw storedRecords;
    return storedRecords;
  },
});

let channel: TestChannel;
let operator: TestOperator;
beforeEach(async () => {
  [channel, operator] = await createOwner();
});

async function createOwner(): Promise<[TestChannel, TestOperator]> {
  const created = await createTestChannel(heliograph.deps);
  return [created, await createTestOperator(heliograph, { role: 'owner', accountId: created.account.id })];
}

const request = async (
  method: 'GET' | 'PUT' | 'POST',
  {
    path = '',
    body,
    as = operator,
    of = channel,
  }: { path?: string; body?: object; as?: TestOperator; of?: TestChannel } = {},
) => {
  const response = await as.ask(method, `/accounts/${of.account.id}/links${path}`, body);
  return { status: response.statusCode, ...response.json() };
};
/** Checks the domain without waiting for the interval. */
const check = async (options: { as?: TestOperator; of?: TestChannel } = {}) => {
  const accountId = (options.of ?? channel).account.id;
  await heliograph.deps.prisma.linkSettings.updateMany({ where: { accountId }, data: { checkedAt: null } });
  return (await request('POST', { ...options, path: '/check-domain' })).data;
};

it('short links are off by default, and begin with PUBLIC_URL', async () => {
  expect((await request('GET')).data).toEqual({
    ...{ isOn: false, base: 'https://messages.example.com/l/', domain: null },
  });
  expect((await request('PUT', { body: { isOn: true } })).data).toMatchObject({ isOn: true, domain: null });
});

it('links use a domain once its TXT record is there, and only links of the account are served below it', async () => {
  const host = 'go.acme.example';
  const { data } = await request('PUT', { body: { host: 'Go.Acme.example' } });
  expect(data).toMatchObject({
    base: 'https://messages.example.com/l/',
    domain: { host, recordName: `_heliograph.${host}`, verifiedAt: null },
  });
  expect(await check()).toMatchObject({ result: 'no-record', domain: { verifiedAt: null } });
  records.set(`_heliograph.${host}`, ['v=spf1 -all', data.domain.recordText]);
  expect(await check()).toMatchObject({ result: 'verified', base: `https://${host}/l/` });
  await heliograph.deps.links.domains.reload();

  const ownLink = await createLink(heliograph, channel.account);
  const [other] = await createOwner();
  const foreign = await createLink(heliograph, other.account);
  const statuses = async (path: string, hosts: string[]) =>
    Promise.all(hosts.map(async (each) => (await visit(heliograph, path, { host: each })).statusCode));
  expect(await statuses(`/l/${ownLink.code}`, [host, `${host}:443`, 'messages.example.com'])).toEqual([302, 302, 302]);
  expect(await statuses(`/l/${foreign.code}`, [host, 'messages.example.com'])).toEqual([404, 302]);
  for (const path of ['/', '/console/', '/admin/v1/session', '/api/v1/account', '/health/live', '/docs']) {
    const response = await visit(heliograph, path, { host });
    expect([path, response.statusCode, response.body.includes('This link does not exist.')]).toEqual([path, 404, true]);
  }
  const entries = await heliograph.deps.prisma.auditLine.findMany({ where: { accountId: channel.account.id } });
  expect(entries.map(({ action }) => action)).toEqual(['account.links', 'account.linkDomain', 'account.linkDomain']);
  await request('PUT', { body: { host: null } });
  expect((await request('GET')).data.domain).toBeNull();
});

it('a domain belongs to the account whose record it has', async () => {
  const host = 'go.moved.example';
  const [other, otherOperator] = await createOwner();
  const first = (await request('PUT', { body: { host } })).data.domain.recordText;
  const second = (await request('PUT', { body: { host }, as: otherOperator, of: other })).data.domain.recordText;
  records.set(`_heliograph.${host}`, [first, second]);
  expect(await check()).toMatchObject({ result: 'verified' });
  expect(await check({ as: otherOperator, of: other })).toMatchObject({ result: 'other-account' });
  records.set(`_heliograph.${host}`, [second]);
  expect(await check({ as: otherOperator, of: other })).toMatchObject({ result: 'verified' });
  expect((await request('GET')).data.domain.verifiedAt).toBeNull();
});

it('a proved domain stays in use if its name servers fail', async () => {
  const host = 'go.failing.example';
  const { recordText } = (await request('PUT', { body: { host } })).data.domain;
  records.set(`_heliograph.${host}`, [recordText]);
  await check();
  const { NameLookupError } = await import('../../../src/platform/net/resolver.js');
  records.set(`_heliograph.${host}`, new NameLookupError('ESERVFAIL'));
  expect(await check()).toMatchObject({ result: 'lookup-failed', base: `https://${host}/l/` });
});

it('a domain can be checked once in ten seconds', async () => {
  expect((await request('POST', { path: '/check-domain' })).status).toBe(404);
  await request('PUT', { body: { host: 'go.slow.example' } });
  expect((await request('POST', { path: '/check-domain' })).status).toBe(200);
  expect(await request('POST', { path: '/check-domain' })).toMatchObject({
    ...{ status: 429, error: { code: 'RATE_LIMITED' } },
  });
});

it.each([
  'localhost',
  '127.0.0.1',
  '[::1]',
  'acme',
  'https://go.acme.example',
  'go.acme.example/x',
  'a b.example',
  'x.local',
  'messages.example.com',
  `${'x'.repeat(60)}.${'y'.repeat(60)}.example`,
  '',
])('refuses the domain %s', async (host) => {
  const { status, error } = await request('PUT', { body: { host } });
  expect([status, error.code, error.details[0].field]).toEqual([400, 'INVALID_REQUEST', 'host']);
});
