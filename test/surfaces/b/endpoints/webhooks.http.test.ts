import { describe, expect, it } from 'vitest';
import { insertDeliveries } from '../../../../src/messages/events/outbox-store.js';
import { CHANNEL_EVENT_TYPES } from '../../../../src/messages/events/webhook-events.js';
import { newId } from '../../../../src/platform/ids.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel, createTestKey, type TestChannel } from '../../../support/channels.js';
import { forSuite } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';

const HOOK = 'https://example.com/hooks/heliograph?tenant=1';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const heliograph = sharedApp({ role: 'api' });
const channel = forSuite(() => createTestChannel(heliograph.deps));
const otherChannel = forSuite(() => createTestChannel(heliograph.deps));

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, caller = channel) =>
  call(heliograph, caller, method, `/webhooks${path}`, body);

async function create(body: object = { url: HOOK, events: ['message.status'] }, caller = channel) {
  const response = await send('POST', '', body, caller);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

describe('POST /webhooks', () => {
  it('returns the webhook and, only this time, its secret', async () => {
    const { secret, ...webhook } = await create({ url: HOOK, events: [...CHANNEL_EVENT_TYPES], isActive: false });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      id: expect.any(String),
      url: HOOK,
      format: 'standard',
      events: [...CHANNEL_EVENT_TYPES],
      isActive: true,
      disabledReason: null,
      failingSince: null,
      previousSecretExpiresAt: null,
      createdAt: TIME,
      updatedAt: TIME,
    });
    expect((await send('GET', `/${webhook.id}`)).json().data).toEqual(webhook);
    const { body } = await send('GET', '');
    expect(body).not.toContain('whsec_');
  });

  it.each([
    ['a missing URL', { events: ['message.status'] }, 'url'],
    ['an invalid URL', { url: 'example', events: ['message.status'] }, 'url'],
    ['another URL scheme', { url: 'file:///etc/passwd', events: ['message.status'] }, 'url'],
    ['a private address', { url: 'http://127.1:3000/', events: ['message.status'] }, 'url'],
    ['a password in the URL', { url: 'https://a:b@example.com/', events: ['message.status'] }, 'url'],
    [
      'a URL of 2049 characters',
      { url: `https://example.com/${'a'.repeat(2_029)}`, events: ['message.status'] },
      'url',
    ],
    ['a null URL', { url: null, events: ['message.status'] }, 'url'],
    ['missing events', { url: HOOK }, 'events'],
    ['an empty list of events', { url: HOOK, events: [] }, 'events'],
    ['an unknown event', { url: HOOK, events: ['message.deleted'] }, 'events[0]'],
    ['the event webhook.test', { url: HOOK, events: ['webhook.test'] }, 'events[0]'],
    ['a repeated event', { url: HOOK, events: ['message.status', 'message.status'] }, 'events'],
    ['events that are a string', { url: HOOK, events: 'message.status' }, 'events'],
  ])('returns 400 naming the field for %s', async (_, body, field) => {
    const response = await send('POST', '', body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ success: false, error: { code: 'INVALID_REQUEST', details: [{ field }] } });
  });

  it('returns 409 for the 51st webhook of a channel, also for concurrent requests', async () => {
    const fullChannel = await createTestChannel(heliograph.deps);
    // Concurrent requests for one channel run one after another and must finish within the statement timeout of five seconds.
    const createConcurrently = async (count: number) => {
      const createOne = () => send('POST', '', { url: HOOK, events: ['message.status'] }, fullChannel);
      return (await Promise.all(Array.from({ length: count }, createOne))).map(({ statusCode }) => statusCode).sort();
    };
    for (const count of [15, 15, 15]) expect(await createConcurrently(count)).toEqual(Array(count).fill(200));
    expect(await createConcurrently(10)).toEqual([...Array(5).fill(200), ...Array(5).fill(409)]);
  });
});

describe('GET /webhooks', () => {
  it('lists the webhooks of the channel page by page, newest first', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await create(undefined, freshChannel)).id);
    const page = async (query: string) => (await send('GET', query, undefined, freshChannel)).json().data;
    expect(await page('')).toMatchObject({ webhooks: ids.map((id) => ({ id })), total: 3, limit: 50, offset: 0 });
    expect(await page('?limit=1&offset=1')).toMatchObject({
      webhooks: [{ id: ids[1] }],
      total: 3,
      limit: 1,
      offset: 1,
    });
    expect((await send('GET', '?limit=0', undefined, freshChannel)).statusCode).toBe(400);
  });
});

describe('PUT /webhooks/:id', () => {
  it('changes the given fields and keeps the rest', async () => {
    const { id } = await create();
    const url = 'https://example.org/';
    expect((await send('PUT', `/${id}`, { url })).json().data).toMatchObject({ id, url, events: ['message.status'] });
    const events = ['contact.updated', 'message.received'];
    expect((await send('PUT', `/${id}`, { events })).json().data).toMatchObject({ url, events, isActive: true });
    expect((await send('PUT', `/${id}`, { isActive: false })).json().data).toMatchObject({
      url,
      events,
      isActive: false,
    });
  });

  it('changes nothing for an empty object or only unknown fields', async () => {
    const { secret: _, ...webhookBefore } = await create();
    for (const body of [{}, { secret: 'whsec_AAAA', accountId: otherChannel.account.id }]) {
      expect((await send('PUT', `/${webhookBefore.id}`, body)).json().data).toEqual(webhookBefore);
    }
  });

  it.each([
    ['a null event', { url: null }, 'url'],
    ['a private address', { url: 'http://[::1]/' }, 'url'],
    ['missing events', { events: [] }, 'events'],
    ['isActive that is a string', { isActive: 'false' }, 'isActive'],
  ])('returns 400 for %s', async (_, body, field) => {
    const { id } = await create();
    const response = await send('PUT', `/${id}`, body);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toMatchObject([{ field }]);
  });

  it('clears the reason for disabling a webhook when it is enabled', async () => {
    const { id } = await create();
    await heliograph.deps.prisma.webhook.update({
      where: { id },
      data: { isActive: false, disabledReason: 'failing', failingSince: new Date(0) },
    });
    expect((await send('GET', `/${id}`)).json().data).toMatchObject({ disabledReason: 'failing', failingSince: TIME });
    const enabledWebhook = (await send('PUT', `/${id}`, { isActive: true })).json().data;
    expect(enabledWebhook).toMatchObject({ isActive: true, disabledReason: null, failingSince: null });
  });
});

describe('DELETE /webhooks/:id', () => {
  it('deletes the webhook, and returns 404 the second time', async () => {
    const { id } = await create();
    const deleteResponse = await send('DELETE', `/${id}`);
    expect(deleteResponse.json()).toEqual({ success: true, data: { message: expect.any(String) } });
    expect((await send('DELETE', `/${id}`)).statusCode).toBe(404);
    expect((await send('GET', `/${id}`)).statusCode).toBe(404);
    expect((await send('GET', `/${id}/deliveries`)).statusCode).toBe(404);
  });
});

describe('POST /webhooks/:id/rotate-secret', () => {
  it('returns a new secret and how long the previous one is still used', async () => {
    const { id, secret } = await create();
    const newSecret = (await send('POST', `/${id}/rotate-secret`)).json().data;
    expect(newSecret.secret).toMatch(/^whsec_/);
    expect(newSecret.secret).not.toBe(secret);
    const hours = (new Date(newSecret.previousSecretExpiresAt).getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
  });
});

describe('POST /webhooks/:id/test', () => {
  it('queues an event of type webhook.test, regardless of the subscribed events', async () => {
    const { id } = await create({ url: HOOK, events: ['contact.updated'] });
    const { data } = (await send('POST', `/${id}/test`)).json();
    expect(data).toEqual({
      id: expect.any(String),
      type: 'webhook.test',
      body: expect.stringContaining('"type":"webhook.test"'),
      bodyTruncated: false,
      status: 'pending',
      attempts: 0,
      lastStatusCode: null,
      lastError: null,
      createdAt: TIME,
      lastAttemptAt: null,
      nextAttemptAt: TIME,
      deliveredAt: null,
    });
    expect((await send('GET', `/${id}/deliveries`)).json().data.deliveries).toEqual([data]);
  });

  it('returns 409 for a webhook that is not active', async () => {
    const { id } = await create();
    await send('PUT', `/${id}`, { isActive: false });
    const response = await send('POST', `/${id}/test`);
    expect(response.statusCode).toBe(409);
    expect(response.json().error.code).toBe('CONFLICT');
  });
});

describe('GET /webhooks/:id/deliveries', () => {
  it('lists deliveries page by page, newest first, and by status in upper or lower case', async () => {
    const { id } = await create();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await send('POST', `/${id}/test`)).json().data.id);
    await heliograph.deps.prisma.webhookDelivery.update({
      where: { id: ids[1] },
      data: { status: 'failed', nextAttemptAt: null },
    });
    const list = async (query: string) => (await send('GET', `/${id}/deliveries${query}`)).json().data;
    expect(await list('')).toMatchObject({
      deliveries: ids.map((deliveryId) => ({ id: deliveryId })),
      total: 3,
      limit: 50,
    });
    expect(await list('?limit=1&offset=2')).toMatchObject({ deliveries: [{ id: ids[2] }], total: 3 });
    expect(await list('?status=FAILED')).toMatchObject({ deliveries: [{ id: ids[1] }], total: 1 });
    expect(await list('?status=lost')).toMatchObject({ deliveries: [], total: 0 });
  });
});

describe('the log of deliveries', () => {
  it('shows the sent body, and only the start of a very long one', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const { id } = await create({ url: HOOK, events: ['contact.updated'] }, freshChannel);
    const occurredAt = new Date('2027-01-15T12:00:00.000Z');
    const scope = {
      accountId: freshChannel.account.id,
      channelId: freshChannel.channelId,
      type: 'contact.updated',
      occurredAt,
    } as const;
    for (const name of ['Zoë', 'x'.repeat(9_000)]) {
      await insertDeliveries(heliograph.deps.pool, scope, [JSON.stringify({ name })]);
    }
    const { deliveries } = (await send('GET', `/${id}/deliveries`, undefined, freshChannel)).json().data;
    // The order of two deliveries within a millisecond is undefined.
    const [short, long] = (deliveries as [{ body: string }, { body: string }]).sort(
      (a, b) => a.body.length - b.body.length,
    );
    expect(short).toMatchObject({ bodyTruncated: false });
    expect(short.body).toBe('{"type":"contact.updated","timestamp":"2027-01-15T12:00:00.000Z","data":{"name": "Zoë"}}');
    expect(long).toMatchObject({ bodyTruncated: true });
    expect(long.body).toHaveLength(8_192);
  });
});

describe('POST /webhooks/:id/deliveries/:deliveryId/replay', () => {
  it('returns 404 for an unknown delivery and for one of another webhook', async () => {
    const [{ id }, { id: otherWebhookId }] = [await create(), await create()];
    const delivery = (await send('POST', `/${otherWebhookId}/test`)).json().data.id;
    for (const deliveryId of [newId(), 'x', delivery]) {
      expect((await send('POST', `/${id}/deliveries/${deliveryId}/replay`)).statusCode, deliveryId).toBe(404);
    }
    expect((await send('POST', `/${otherWebhookId}/deliveries/${delivery}/replay`)).statusCode).toBe(200);
  });
});

describe('a webhook of another account, or of another channel of the account', () => {
  it('is not found', async () => {
    const { id } = await create();
    const delivery = (await send('POST', `/${id}/test`)).json().data.id;
    const siblingChannel = await createTestChannel(heliograph.deps, channel.account);
    for (const caller of [otherChannel, siblingChannel]) {
      for (const path of ['/test', '/rotate-secret', `/deliveries/${delivery}/replay`]) {
        expect((await send('POST', `/${id}${path}`, undefined, caller)).statusCode, path).toBe(404);
      }
      expect((await send('GET', `/${id}`, undefined, caller)).statusCode).toBe(404);
      expect((await send('GET', `/${id}/deliveries`, undefined, caller)).statusCode).toBe(404);
      expect((await send('PUT', `/${id}`, { isActive: false }, caller)).statusCode).toBe(404);
      expect((await send('DELETE', `/${id}`, undefined, caller)).statusCode).toBe(404);
      expect((await send('GET', '', undefined, caller)).json().data.total).toBe(0);
    }
    expect((await send('GET', `/${id}`)).json().data).toMatchObject({ isActive: true, previousSecretExpiresAt: null });
  });
});

describe('the scopes of a key', () => {
  it('let webhooks:read read and webhooks:write write', async () => {
    const { id } = await create();
    const reader = { ...channel, ...(await createTestKey(heliograph.deps, channel, ['webhooks:read'])) };
    const writer = { ...channel, ...(await createTestKey(heliograph.deps, channel, ['webhooks:write'])) };
    expect((await send('GET', `/${id}`, undefined, reader)).statusCode).toBe(200);
    expect((await send('POST', `/${id}/test`, undefined, reader)).statusCode).toBe(403);
    expect((await send('GET', `/${id}/deliveries`, undefined, writer)).statusCode).toBe(403);
    expect((await send('POST', `/${id}/test`, undefined, writer)).statusCode).toBe(200);
  });
});

describe('a webhook event', () => {
  const event = { type: 'contact.updated', occurredAt: new Date() } as const;
  const bodies = ['{"name": "Ann"}'];
  const emit = ({ account, channelId }: TestChannel) =>
    insertDeliveries(heliograph.deps.pool, { accountId: account.id, channelId, ...event }, bodies);

  it('is written only for active webhooks of its channel that subscribe to it', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const events = ['contact.updated'];
    const subscribedWebhook = await create({ url: HOOK, events }, freshChannel);
    await create({ url: HOOK, events: ['message.status'] }, freshChannel);
    const disabledWebhook = await create({ url: HOOK, events }, freshChannel);
    await send('PUT', `/${disabledWebhook.id}`, { isActive: false }, freshChannel);
    const siblingChannel = await createTestChannel(heliograph.deps, freshChannel.account);
    await create({ url: HOOK, events }, siblingChannel);
    expect(await emit(freshChannel)).toBe(1);
    expect(await emit({ ...freshChannel, account: otherChannel.account })).toBe(0);
    const { deliveries } = (await send('GET', `/${subscribedWebhook.id}/deliveries`, undefined, freshChannel)).json()
      .data;
    expect(deliveries).toMatchObject([{ type: 'contact.updated', status: 'pending' }]);
  });

  it('exists only once its transaction commits', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const { id } = await create({ url: HOOK, events: ['contact.updated'] }, freshChannel);
    const client = await heliograph.deps.pool.connect();
    try {
      await client.query('BEGIN');
      const { account, channelId } = freshChannel;
      expect(await insertDeliveries(client, { accountId: account.id, channelId, ...event }, bodies)).toBe(1);
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    expect((await send('GET', `/${id}/deliveries`, undefined, freshChannel)).json().data.total).toBe(0);
  });
});
