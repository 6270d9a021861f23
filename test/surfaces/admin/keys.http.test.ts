import { beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;
let developer: TestOperator;
let base: string;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  developer = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
  base = `/accounts/${channel.account.id}`;
});

const getBalance = (key: string) =>
  heliograph.app.inject({ url: '/v1.0/account/balance', headers: { authorization: `Bearer ${key}` } });

describe('apps', () => {
  it('are created with a key that is shown once, works, and is revoked', async () => {
    const createResponse = await developer.ask('POST', `${base}/apps`, { name: ' Shop ', scopes: ['rest'] });
    expect(createResponse.statusCode).toBe(200);
    const { id, key } = createResponse.json().data;
    const findApp = async () =>
      (await developer.ask('GET', `${base}/apps`)).json().data.find((app: { id: string }) => app.id === id);
    expect(await findApp()).toEqual({
      id,
      name: 'Shop',
      scopes: ['rest'],
      lastFour: key.slice(-4),
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
      madeBy: developer.name,
    });
    expect((await getBalance(key)).statusCode).toBe(200);
    await waitFor('the last use of the key to be stored', async () => (await findApp()).lastUsedAt !== null);

    expect((await developer.ask('POST', `${base}/apps/${id}/revoke`)).json()).toEqual({ data: { done: true } });
    await waitFor('the key to be refused', async () => (await getBalance(key)).statusCode === 401);
    expect((await findApp()).revokedAt).not.toBeNull();
  });

  it('of other accounts cannot be revoked', async () => {
    const otherChannel = await createTestChannel(heliograph.deps);
    const [app] = await heliograph.deps.prisma.apiKey.findMany({
      where: { accountId: otherChannel.account.id, surface: 'a' },
    });
    expect((await developer.ask('POST', `${base}/apps/${app?.id}/revoke`)).statusCode).toBe(404);
    expect((await getBalance(otherChannel.account.apiKey)).statusCode).toBe(200);
  });

  it.each([
    [{ scopes: ['rest'] }, 'name'],
    [{ name: '  ', scopes: ['rest'] }, 'name'],
    [{ name: 'x'.repeat(101), scopes: ['rest'] }, 'name'],
    [{ name: 'Shop', scopes: ['full'] }, 'scopes[0]'],
  ])('are refused with %j', async (body, field) => {
    const { statusCode, body: text } = await developer.ask('POST', `${base}/apps`, body);
    expect(statusCode).toBe(400);
    expect(JSON.parse(text).error.details).toMatchObject([{ field }]);
  });
});

describe('API keys', () => {
  it('are created with a secret, for channels and scopes, and revoked', async () => {
    const channelIds = [channel.channelId, channel.channelId.toUpperCase()];
    const body = { name: 'Support', channelIds, scopes: ['contacts:read'] };
    const { id, key, secret } = (await developer.ask('POST', `${base}/keys`, body)).json().data;
    const [listedKey] = (await developer.ask('GET', `${base}/keys`)).json().data;
    expect(listedKey).toMatchObject({
      id,
      name: 'Support',
      channelIds: [channel.channelId],
      scopes: ['contacts:read'],
    });
    const headers = { 'x-api-key': key, 'x-api-secret': secret, 'x-channel-id': channel.channelId };
    const contacts = () => heliograph.app.inject({ url: '/api/v1/contacts', headers });
    expect((await contacts()).statusCode).toBe(200);
    expect((await developer.ask('POST', `${base}/keys/${id}/revoke`)).statusCode).toBe(200);
    await waitFor('the key to be refused', async () => (await contacts()).statusCode === 401);
  });

  it('are refused for the channel of another account', async () => {
    const { channelId } = await createTestChannel(heliograph.deps);
    const body = { name: 'Support', channelIds: [channelId], scopes: ['full'] };
    expect((await developer.ask('POST', `${base}/keys`, body)).statusCode).toBe(404);
  });
});

it('each change of an app or key is audited, without the key', async () => {
  const { key, secret, id } = (
    await developer.ask('POST', `${base}/keys`, { name: 'Helpdesk', channelIds: [channel.channelId], scopes: ['full'] })
  ).json().data;
  await developer.ask('POST', `${base}/keys/${id}/revoke`);
  const { body } = await developer.ask('GET', `${base}/audit?subject=${id}`);
  expect(JSON.parse(body).data).toMatchObject([
    { action: 'key.revoke', before: { name: 'Helpdesk' }, after: null },
    {
      action: 'key.create',
      actor: { kind: 'operator', id: developer.id, name: developer.name, address: '127.0.0.1' },
      accountId: channel.account.id,
      subject: id,
      before: null,
      after: { name: 'Helpdesk', scopes: ['full'], channelIds: [channel.channelId] },
    },
  ]);
  for (const secretText of [key, secret]) expect(body).not.toContain(secretText.slice(10));
});
