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
const other = forSuite(() => createTestAccount(heliograph.deps));

const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object, as = account) =>
  heliograph.app.inject({ method, url: `/v2/webhooks${path}`, headers: as.headers, payload });

async function create(body: object = { url: HOOK, events: EVENTS }, as = account) {
  const answer = await send('POST', '', body, as);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
}

describe('/v2/webhooks', () => {
  it('creates, lists, shows, changes and deletes webhooks of the account', async () => {
    const own = await createTestAccount(heliograph.deps);
    const { secret, ...made } = await create(undefined, own);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toEqual({
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
    const second = await create({ url: HOOK, events: ['message.status'] }, own);
    const listed = await send('GET', '', undefined, own);
    expect(listed.json()).toMatchObject({ status: 'success', code: 200, data: [{ id: second.id }, made] });
    expect(listed.body).not.toContain('whsec_');
    expect((await send('GET', `/${made.id}`, undefined, own)).json().data).toEqual(made);
    expect((await send('PUT', `/${made.id}`, undefined, own)).json().data).toEqual(made);
    const changed = await send('PUT', `/${made.id}`, { is_active: false }, own);
    expect(changed.json()).toMatchObject({
      message: 'The webhook is disabled.',
      data: { is_active: false, url: HOOK },
    });
    expectErrorV2(await send('POST', `/${made.id}/test`, undefined, own), 409);
    const rotated = (await send('POST', `/${made.id}/rotate-secret`, undefined, own)).json().data;
    expect(rotated).toMatchObject({ id: made.id, previous_secret_expires_at: TIME });
    expect(rotated.secret).not.toBe(secret);
    expect((await send('DELETE', `/${made.id}`, undefined, own)).json().data).toEqual({ id: made.id });
    expectErrorV2(await send('DELETE', `/${made.id}`, undefined, own), 404);
    expect((await send('GET', '', undefined, own)).json().data).toHaveLength(1);
  });

  it.each([
    ['a private address', { url: 'http://127.0.0.1/', events: ['message.status'] }, ['url']],
    ['an event of channels', { url: HOOK, events: ['contact.updated'] }, ['events[0]']],
    ['nothing', {}, ['url', 'events']],
    ['an event twice', { url: HOOK, events: ['message.status', 'message.status'] }, ['events']],
  ])('answers 400 to %s', async (_, body, fields) => {
    expectErrorV2(await send('POST', '', body), 400, fields);
  });

  it('allows an account 50, not counting those of its channels', async () => {
    const { account: full } = await createTestChannel(heliograph.deps);
    for (let i = 0; i < 50; i += 1) await create(undefined, full);
    expectErrorV2(await send('POST', '', { url: HOOK, events: EVENTS }, full), 409);
  });

  it('does not show those of a channel, and a channel does not show those of its account', async () => {
    const { account: owner, channelId, headers } = await createTestChannel(heliograph.deps);
    const payload = { url: HOOK, events: ['message.status'] };
    const made = await heliograph.app.inject({ method: 'POST', url: '/api/v1/webhooks', headers, payload });
    const ofChannel = made.json().data.id;
    const { id } = await create(undefined, owner);
    expectErrorV2(await send('GET', `/${ofChannel}`, undefined, owner), 404);
    expectErrorV2(await send('DELETE', `/${ofChannel}`, undefined, owner), 404);
    expect((await send('GET', '', undefined, owner)).json().data).toMatchObject([{ id }]);
    expect((await heliograph.app.inject({ url: `/api/v1/webhooks/${id}`, headers })).statusCode).toBe(404);
    expect((await heliograph.app.inject({ url: '/api/v1/webhooks', headers })).json().data.total).toBe(1);
    expect(channelId).not.toBe(id);
  });

  it('logs deliveries with their bodies, page by page', async () => {
    const { id } = await create();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await send('POST', `/${id}/test`)).json().data.id);
    const pages: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { data: { id: string }[]; next_cursor: string | null } = (
        await send('GET', `/${id}/deliveries?limit=2${cursor && `&cursor=${cursor}`}`)
      ).json();
      pages.push(page.data.map((each) => each.id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2)]);
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
    expectErrorV2(await send('GET', `/${id}/deliveries`, undefined, other), 404);
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
