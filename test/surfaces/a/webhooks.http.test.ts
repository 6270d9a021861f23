import { describe, expect, it } from 'vitest';
import { receiveInbound } from '../../../src/features/inbound/receive.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV2, ISO_MILLISECONDS } from './requests.js';

const HOOK = 'https://example.com/hooks/heliograph?tenant=1';
const EVENTS = ['message.received', 'message.status', 'account.balance_low'];
const TIME = expect.stringMatching(ISO_MILLISECONDS);

const heliograph = sharedApp({ role: 'api' });
const account = forSuite(() => createTestAccount(heliograph.deps));
const otherAccount = forSuite(() => createTestAccount(heliograph.deps));

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, caller = account) =>
  heliograph.app.inject({ method, url: `/v2/webhooks${path}`, headers: caller.headers, payload });

async function create(body: object = { url: HOOK, events: EVENTS }, caller = account) {
  const response = await send('POST', '', body, caller);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

describe('/v2/webhooks', () => {
  it('creates, lists, shows, changes and deletes webhooks of the account', async () => {
    const freshAccount = await createTestAccount(heliograph.deps);
    const { secret, ...webhook } = await create(undefined, freshAccount);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toEqual({
      id: expect.any(String),
      url: HOOK,
      format: 'standard',
      events: EVENTS,
      is_active: true,
      disabled_reason: null,
      failing_since: null,
      previous_secret_expires_at: null,
      created_at: TIME,
      updated_at: TIME,
    });
    const secondWebhook = await create({ url: HOOK, events: ['message.status'] }, freshAccount);
    const listResponse = await send('GET', '', undefined, freshAccount);
    expect(listResponse.json()).toMatchObject({
      status: 'success',
      code: 200,
      data: [{ id: secondWebhook.id }, webhook],
    });
    expect(listResponse.body).not.toContain('whsec_');
    expect((await send('GET', `/${webhook.id}`, undefined, freshAccount)).json().data).toEqual(webhook);
    expect((await send('PUT', `/${webhook.id}`, undefined, freshAccount)).json().data).toEqual(webhook);
    const changeResponse = await send('PUT', `/${webhook.id}`, { is_active: false }, freshAccount);
    expect(changeResponse.json()).toMatchObject({
      message: 'The webhook is disabled.',
      data: { is_active: false, url: HOOK },
    });
    expectErrorV2(await send('POST', `/${webhook.id}/test`, undefined, freshAccount), 409);
    const newSecret = (await send('POST', `/${webhook.id}/rotate-secret`, undefined, freshAccount)).json().data;
    expect(newSecret).toMatchObject({ id: webhook.id, previous_secret_expires_at: TIME });
    expect(newSecret.secret).not.toBe(secret);
    expect((await send('DELETE', `/${webhook.id}`, undefined, freshAccount)).json().data).toEqual({ id: webhook.id });
    expectErrorV2(await send('DELETE', `/${webhook.id}`, undefined, freshAccount), 404);
    expect((await send('GET', '', undefined, freshAccount)).json().data).toHaveLength(1);
  });

  it.each([
    ['a private address', { url: 'http://127.0.0.1/', events: ['message.status'] }, ['url']],
    ['an event of channels only', { url: HOOK, events: ['contact.updated'] }, ['events[0]']],
    ['nothing', {}, ['url', 'events']],
    ['a repeated event', { url: HOOK, events: ['message.status', 'message.status'] }, ['events']],
  ])('returns 400 for %s', async (_, body, fields) => {
    expectErrorV2(await send('POST', '', body), 400, fields);
  });

  it('allows an account 50 webhooks, not counting those of its channels', async () => {
    const { account: fullAccount } = await createTestChannel(heliograph.deps);
    for (let i = 0; i < 50; i += 1) await create(undefined, fullAccount);
    expectErrorV2(await send('POST', '', { url: HOOK, events: EVENTS }, fullAccount), 409);
  });

  it('does not show webhooks of a channel, and a channel does not show those of its account', async () => {
    const { account: owner, channelId, headers } = await createTestChannel(heliograph.deps);
    const payload = { url: HOOK, events: ['message.status'] };
    const createResponse = await heliograph.app.inject({ method: 'POST', url: '/api/v1/webhooks', headers, payload });
    const channelWebhookId = createResponse.json().data.id;
    const { id } = await create(undefined, owner);
    expectErrorV2(await send('GET', `/${channelWebhookId}`, undefined, owner), 404);
    expectErrorV2(await send('DELETE', `/${channelWebhookId}`, undefined, owner), 404);
    expect((await send('GET', '', undefined, owner)).json().data).toMatchObject([{ id }]);
    expect((await heliograph.app.inject({ url: `/api/v1/webhooks/${id}`, headers })).statusCode).toBe(404);
    expect((await heliograph.app.inject({ url: '/api/v1/webhooks', headers })).json().data.total).toBe(1);
    expect(channelId).not.toBe(id);
  });

  it('lists deliveries with their bodies, page by page', async () => {
    const { id } = await create();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await send('POST', `/${id}/test`)).json().data.id);
    const idsByPage: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { data: { id: string }[]; next_cursor: string | null } = (
        await send('GET', `/${id}/deliveries?limit=2${cursor && `&cursor=${cursor}`}`)
      ).json();
      idsByPage.push(page.data.map((delivery) => delivery.id));
      cursor = page.next_cursor;
    }
    expect(idsByPage).toEqual([ids.slice(0, 2), ids.slice(2)]);
    const [entry] = (await send('GET', `/${id}/deliveries?status=PENDING`)).json().data;
    expect(entry).toMatchObject({ type: 'webhook.test', status: 'pending', attempts: 0, body_truncated: false });
    expect(JSON.parse(entry.body)).toEqual({
      type: 'webhook.test',
      timestamp: TIME,
      data: { webhookId: id, channelId: null },
    });
    expect((await send('GET', `/${id}/deliveries?status=failed`)).json().data).toEqual([]);
    expectErrorV2(await send('GET', `/${id}/deliveries?cursor=x`), 400, ['cursor']);
    expectErrorV2(await send('GET', `/${id}/deliveries?limit=201`), 400, ['limit']);
    expect((await send('POST', `/${id}/deliveries/${ids[0]}/replay`)).json().data).toMatchObject({ id: ids[0] });
    expectErrorV2(await send('POST', `/${id}/deliveries/x/replay`), 404);
    expectErrorV2(await send('GET', `/${id}/deliveries`, undefined, otherAccount), 404);
  });

  it.each(['sms', 'whatsapp'] as const)('notify the account of messages to a channel of kind %s', async (kind) => {
    const channel = await createTestChannel(heliograph.deps, undefined, { kind });
    const { id } = await create({ url: HOOK, events: ['message.received'] }, channel.account);
    await receiveInbound(
      heliograph.deps,
      { id: channel.channelId, accountId: channel.account.id, kind, phoneNumber: channel.phoneNumber },
      {
        carrierMessageId: `carrier-${kind}`,
        from: '15005550111',
        type: 'text',
        body: 'Hi',
        payload: { body: 'Hi' },
        receivedAt: new Date(),
      },
    );
    const [entry] = (await send('GET', `/${id}/deliveries`, undefined, channel.account)).json().data;
    expect(JSON.parse(entry.body).data).toMatchObject({
      channel: kind,
      channelId: channel.channelId,
      from: '15005550111',
      to: channel.phoneNumber,
      text: 'Hi',
    });
  });
});
