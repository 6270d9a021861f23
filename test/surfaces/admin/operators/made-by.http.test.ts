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

async function maker() {
  const by = await createTestOperator(heliograph, { role: 'developer' });
  const ids: string[] = [];
  for (const [path, body] of [
    ['/apps', { name: 'Shop', scopes: ['rest'] }],
    ['/keys', { name: 'Support', scopes: ['full'], channelIds: [channel.channelId] }],
    ['/webhooks', { url: 'https://example.com/a', events: ['message.status'] }],
    [`/channels/${channel.channelId}/webhooks`, { url: 'https://example.com/b', events: ['message.status'] }],
  ] as const) {
    const made = await by.ask('POST', `${base()}${path}`, body);
    expect(made.statusCode, made.body).toBe(200);
    ids.push(made.json().data.id);
  }
  return { by, ids };
}

const shown = async (path: string, id: string) =>
  (await owner.ask('GET', `${base()}${path}`)).json().data.find((each: { id: string }) => each.id === id);
const all = async ([app = '', key = '', ofAccount = '', ofChannel = '']: string[]) => [
  await shown('/apps', app),
  await shown('/keys', key),
  await shown('/webhooks', ofAccount),
  await shown(`/channels/${channel.channelId}/webhooks`, ofChannel),
];

describe('credentials that operators created', () => {
  it('show their creator and keep working, even after the operator was removed', async () => {
    const { by, ids } = await maker();
    for (const each of await all(ids)) expect(each).toMatchObject({ madeBy: by.name });
    const { data } = (await owner.ask('GET', `/operators/${by.id}/made`)).json();
    expect(data.map(({ kind, id }: { kind: string; id: string }) => [kind, id]).sort()).toEqual(
      [
        ['app', ids[0]],
        ['key', ids[1]],
        ['webhook', ids[2]],
        ['webhook', ids[3]],
      ].sort(),
    );
    expect((await owner.ask('DELETE', `/operators/${by.id}`)).statusCode).toBe(200);
    for (const each of await all(ids)) expect(each).toMatchObject({ madeBy: by.name });
    expect((await all(ids)).slice(0, 2)).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
    expect((await all(ids)).slice(2)).toMatchObject([{ isActive: true }, { isActive: true }]);
  });

  it('are ended with the operator on request, in the same transaction and with audit log entries', async () => {
    const { by, ids } = await maker();
    const { ids: others } = await maker();
    expect((await owner.ask('DELETE', `/operators/${by.id}?end=true`)).statusCode).toBe(200);
    const [app, key, ...webhooks] = await all(ids);
    for (const each of [app, key]) expect(each.revokedAt).toEqual(expect.any(String));
    for (const each of webhooks) expect(each.isActive).toBe(false);
    const entries = await heliograph.deps.prisma.auditLine.findMany({
      where: { subject: { in: ids }, actorId: owner.id, accountId: channel.account.id },
    });
    expect(entries.map(({ action }) => action).sort()).toEqual([
      'app.revoke',
      'key.revoke',
      'webhook.update',
      'webhook.update',
    ]);
    expect((await owner.ask('GET', `/operators/${by.id}/made`)).json().data).toEqual([]);
    expect((await all(others)).slice(0, 2)).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
  });

  it('keep working if the operator may not be removed', async () => {
    const { by, ids } = await maker();
    const viewer = await createTestOperator(heliograph, { role: 'viewer' });
    expect((await viewer.ask('DELETE', `/operators/${by.id}?end=true`)).statusCode).toBe(403);
    expect((await viewer.ask('GET', `/operators/${by.id}/made`)).statusCode).toBe(403);
    expect((await all(ids)).slice(0, 2)).toMatchObject([{ revokedAt: null }, { revokedAt: null }]);
  });
});
