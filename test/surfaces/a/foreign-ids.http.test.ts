import { beforeAll, describe, expect, it } from 'vitest';
import { createChannel } from '../../../src/features/channels/channels.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';
import { NUMBER, post, readAccountState, SMS, sendSms } from './requests.js';

const heliograph = sharedApp();
let owner: TestAccount;
let otherAccount: TestAccount;
const ids: Record<string, string> = {};

beforeAll(async () => {
  owner = await createTestAccount(heliograph.deps);
  otherAccount = await createTestAccount(heliograph.deps);
  const { prisma } = heliograph.deps;
  const channelInput = { kind: 'whatsapp', name: 'Main', carrier: 'simulator', isDefault: true } as const;
  const channel = await createChannel(prisma, { ...channelInput, accountId: owner.id, phoneNumber: '15005550100' });
  await createChannel(prisma, { ...channelInput, accountId: otherAccount.id, phoneNumber: '15005550122' });
  const scheduled_at = new Date(Date.now() + 60 * 60 * 1000).toISOString();
  const sendResponse = await post(heliograph.app, '/v2/send', owner, { ...SMS, scheduled_at });
  ids.message_id = sendResponse.json().data[0].message_id;
  const webhookBody = { url: 'https://example.com/', events: ['message.status'] };
  ids.webhook_id = (await post(heliograph.app, '/v2/webhooks', owner, webhookBody)).json().data.id;
  ids.delivery_id = (await post(heliograph.app, `/v2/webhooks/${ids.webhook_id}/test`, owner, '')).json().data.id;
  const { message_id: messageId = '', delivery_id: deliveryId = '' } = ids;
  await prisma.messageCallback.create({ data: { messageId, deliveryId } });
  ids.template_id = newId();
  await prisma.template.create({
    data: {
      id: ids.template_id,
      accountId: owner.id,
      channelId: channel.id,
      name: 'private_offer',
      language: 'en_US',
      category: 'MARKETING',
      status: 'REJECTED',
      components: [{ type: 'BODY', text: 'Secret text' }],
    },
  });
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface TestedRoute {
  method: Method;
  path: string;
  parameters: string[];
}

/** Lists the routes of Surface A without Twilio's Verify API, which is also below `/v2` but has separate tests. */
async function listRoutes(): Promise<TestedRoute[]> {
  const { paths } = (await heliograph.app.inject({ method: 'GET', url: '/openapi.json' })).json();
  return Object.entries(paths as Record<string, object>)
    .filter(([path]) => /^\/v\d/.test(path) && !path.startsWith('/v2/Services/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({
        method: method.toUpperCase() as Method,
        path,
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
      })),
    );
}

describe('every route of Surface A, called with IDs of another account', () => {
  it('returns the same 404 for a foreign ID as for an unknown one', async () => {
    const routesWithIds = (await listRoutes()).filter(({ parameters }) => parameters.length > 0);
    expect(routesWithIds.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /v1.0/sms/status/{message_id}',
      'GET /v2/sms/status/{message_id}',
      'GET /v2/messages/{message_id}',
      'POST /v2/messages/{message_id}/cancel',
      'GET /v2/messages/{message_id}/callbacks',
      'POST /v2/messages/{message_id}/callbacks/{delivery_id}/replay',
      'GET /v2/webhooks/{webhook_id}',
      'PUT /v2/webhooks/{webhook_id}',
      'DELETE /v2/webhooks/{webhook_id}',
      'POST /v2/webhooks/{webhook_id}/test',
      'POST /v2/webhooks/{webhook_id}/rotate-secret',
      'GET /v2/webhooks/{webhook_id}/deliveries',
      'POST /v2/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
    ]);
    routesWithIds.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    for (const { method, path } of routesWithIds) {
      const request = (caller: TestAccount, getId: (name: string) => string) =>
        heliograph.app.inject({
          method,
          url: path.replace(/\{(\w+)\}/g, (_, name: string) => getId(name)),
          headers: caller.headers,
        });
      const foreignResponse = await request(otherAccount, (name) => ids[name] as string);
      expect(foreignResponse.statusCode).toBe(404);
      expect(foreignResponse.body).toBe((await request(otherAccount, newId)).body);
      expect((await request(otherAccount, () => 'malformed')).body).toBe(foreignResponse.body);
      expect((await request(owner, (name) => ids[name] as string)).statusCode).toBe(200);
    }
  });

  it('refuses requests without a key', async () => {
    for (const { method, path } of await listRoutes()) {
      expect((await heliograph.app.inject({ method, url: path })).statusCode, path).toBe(401);
    }
  });

  it("does not reveal another account's template, by ID or by name", async () => {
    for (const template_id of [ids.template_id as string, 'private_offer']) {
      const send = (caller: TestAccount, id: string) =>
        post(heliograph.app, '/v2/send', caller, { to: NUMBER, from: '15005550122', template_id: id });
      expect((await send(owner, template_id)).statusCode).toBe(400);
      const response = await send(otherAccount, template_id);
      expect(response.statusCode).toBe(200);
      expect(response.json().data[0].message).toBe('');
    }
  });

  it('charges and shows only the account of the key, whatever the body contains', async () => {
    const stateBefore = await readAccountState(heliograph, owner);
    const bodyWithAccountIds = { ...SMS, accountId: owner.id, account_id: owner.id, account: { id: owner.id } };
    expect((await sendSms(heliograph.app, otherAccount, bodyWithAccountIds)).statusCode).toBe(200);
    expect((await post(heliograph.app, '/v2/send', otherAccount, bodyWithAccountIds)).statusCode).toBe(200);
    expect(await readAccountState(heliograph, owner)).toEqual(stateBefore);
  });
});
