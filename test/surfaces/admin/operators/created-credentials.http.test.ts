import { beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../../support/operators.js';
import { suiteApp } from '../../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });
let owner: TestOperator;
let channel: TestChannel;
beforeAll(async () => {
  owner = await createTestOperator(heliograph);
  channel = await createTestChannel(heliograph.deps);
});

const base = () => `/accounts/${channel.account.id}`;

async function createOperatorWithCredentials() {
  const operator = await createTestOperator(heliograph, { role: 'developer' });
  const ids: string[] = [];
  for (const [path, body] of [
    ['/apps', { name: 'Shop', scopes: ['rest'] }],
    ['/keys', { name: 'Support', scopes: ['full'], channelIds: [channel.channelId] }],
    ['/webhooks', { url: 'https://example.com/a', events: ['message.status'] }],
    [`/channels/${channel.channelId}/webhooks`, { url: 'https://example.com/b', events: ['message.status'] }],
  ] as const) {
    const createResponse = await operator.ask('POST', `${base()}${path}`, body);
    expect(createResponse.statusCode, createResponse.body).toBe(200);
    ids.push(createResponse.json().data.id);
  }
  return { operator, ids };
}

const findCredential = async (path: string, id: string) =>
  (await owner.ask('GET', `${base()}${path}`)).json().data.find((credential: { id: string }) => credential.id === id);
const findAll = async ([app = '', key = '', accountWebhook = '', channelWebhook = '']: string[]) => [
  await findCredential('/apps', app),
  await findCredential('/keys', key),
  await findCredential('/webhooks', accountWebhook),
  await findCredential(`/channels/${channel.channelId}/webhooks`, channelWebhook),
];

describe('credentials that operators created', () => {
  it('show their creator and keep working, even after the operator was removed', async () => {
    const { operator, ids } = await createOperatorWithCredentials();
    for (const credential of await findAll(ids)) expect(credential).toMatchObject({ madeBy: operator.name });
    const { data } = (await owner.ask('GET', `/operators/${operator.id}/made`)).json();
    expect(data.map(({ kind, id }: { kind: string; id: string }) => [kind, id]).sort()).toEqual(
      [
        ['app', ids[0]],
        ['key', ids[1]],
        ['webhook', ids[2]],
        ['webhook', ids[3]],
      ].sort(),
    );
    expect((await owner.ask('DELETE', `/operators/${operator.id}`)).statusCode).toBe(200);
    for (const credential of await findAll(ids)) expect(credential).toMatchObject({ madeBy: operator.name });
    expect((await findAll(ids)).slice(0, 2)).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
    expect((await findAll(ids)).slice(2)).toMatchObject([{ isActive: true }, { isActive: true }]);
  });

  it('are revoked together with the operator on request, and audited', async () => {
    const { operator, ids } = await createOperatorWithCredentials();
    const { ids: otherIds } = await createOperatorWithCredentials();
    expect((await owner.ask('DELETE', `/operators/${operator.id}?end=true`)).statusCode).toBe(200);
    const [app, key, ...webhooks] = await findAll(ids);
    for (const credential of [app, key]) expect(credential.revokedAt).toEqual(expect.any(String));
    for (const webhook of webhooks) expect(webhook.isActive).toBe(false);
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { subject: { in: ids }, actorId: owner.id, accountId: channel.account.id },
    });
    expect(auditEntries.map(({ action }) => action).sort()).toEqual([
      'app.revoke',
      'key.revoke',
      'webhook.update',
      'webhook.update',
    ]);
    expect((await owner.ask('GET', `/operators/${operator.id}/made`)).json().data).toEqual([]);
    expect((await findAll(otherIds)).slice(0, 2)).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
  });

  it('keep working if the removal is refused', async () => {
    const { operator, ids } = await createOperatorWithCredentials();
    const viewer = await createTestOperator(heliograph, { role: 'viewer' });
    expect((await viewer.ask('DELETE', `/operators/${operator.id}?end=true`)).statusCode).toBe(403);
    expect((await viewer.ask('GET', `/operators/${operator.id}/made`)).statusCode).toBe(403);
    expect((await findAll(ids)).slice(0, 2)).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
  });
});
