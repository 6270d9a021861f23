/*
 * Meta reports the status for each of the recipient's devices, so `failed` from one device can precede `delivered` or
 * `read` from another (docs/develop/reliability.md).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Receipt } from '../../../src/carriers/carrier.js';
import { findHistory } from '../../../src/features/message-history/history.js';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import { createCampaign, readCampaign } from '../../support/campaigns.js';
import type { AcceptedMessage } from '../../support/carriers/cloud-api/cloud-api.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { buildEnvelope, buildStatusFor, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { readConsistentCounts, recountFromMessages } from '../../support/counts.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { waitForStatus } from '../../support/messages.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, createMetaChannel, suiteMeta } from './meta-channel.js';

const HOUR_MS = 3_600_000;
const error = { code: 131026, title: 'Message undeliverable', details: 'The device did not take the message.' };

describeFeature('failures reported by Meta', (backend) => {
  const clock = new ShiftedClock();
  const { stub, heliograph, channel } = suiteMeta({ backend, clock });

  beforeEach(() => {
    stub.fault = () => null;
    stub.beforeAnswer = async () => undefined;
  });

  const findMessage = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
  const send = async (body: object = {}): Promise<string> => {
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: channel.account.headers,
      payload: { to: '15005550100', from: channel.phoneNumber, channel: 'whatsapp', message: 'Hi', ...body },
    });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data[0].message_id;
  };
  const findAccepted = (id: string): AcceptedMessage => {
    const acceptedMessage = stub.accepted.find(({ body }) => String(body.biz_opaque_callback_data).startsWith(id));
    if (!acceptedMessage) throw new Error('the stub has not received the message');
    return acceptedMessage;
  };
  const report = async (acceptedMessage: AcceptedMessage, ...statuses: string[]) => {
    const statusReports = statuses.map((status) =>
      buildStatusFor(acceptedMessage, status, {
        timestamp: Math.floor(clock.now().getTime() / 1000),
        ...(status === 'failed' && { error }),
      }),
    );
    const response = await postWebhook(heliograph, stub, CARRIER, buildEnvelope({ statuses: statusReports }));
    expect(response.statusCode).toBe(200);
    await waitFor(
      'the webhook to be processed',
      async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
    );
  };
  const sendAndWait = async (body?: object) => {
    const id = await send(body);
    await waitForStatus(heliograph, [id], 'sent');
    return { id, accepted: findAccepted(id) };
  };
  const subscribe = () =>
    heliograph.deps.prisma.webhook.create({
      data: {
        ...{ id: newId(), accountId: channel.account.id, channelId: channel.channelId },
        ...{ url: 'http://127.0.0.1:9/', events: ['message.status'], secret: 'whsec_eA==' },
      },
    });
  const listStatusEvents = async (id: string) => {
    const rows = await heliograph.deps.prisma.webhookDelivery.findMany({
      where: { type: 'message.status', data: { path: ['messageId'], equals: id } },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ data }) => data as { status: string; errorCode: string | null });
  };
  const listChanges = async (id: string) => {
    const response = await heliograph.app.inject({ url: '/v2/changes?limit=1000', headers: channel.account.headers });
    const { data } = response.json() as { data: { message_id: string; type: string; status: string }[] };
    return data.filter((event) => event.message_id === id && event.type === 'status').map(({ status }) => status);
  };
  const expectCorrectCounts = async (accountId = channel.account.id) =>
    expect(await readConsistentCounts(heliograph.deps, accountId)).toEqual(
      await recountFromMessages(heliograph.deps, accountId),
    );

  it.each([
    ['delivered', ['delivered']],
    ['read', ['delivered', 'read']],
  ])(
    'a failure that Meta reports later is replaced once by a later %s, without a charge or refund',
    async (status, steps) => {
      const webhook = await subscribe();
      const { id, accepted } = await sendAndWait();
      const balance = await readBalance(heliograph.deps, channel.account.id);
      await report(accepted, 'failed');
      expect(await findMessage(id)).toMatchObject({ status: 'failed', errorCode: '131026' });
      await report(accepted, status);
      expect(await findMessage(id)).toMatchObject({
        status,
        errorCode: null,
        errorMessage: null,
        endedAt: null,
        refunded: false,
      });
      await report(accepted, status, 'failed', 'delivered');
      await report(accepted, 'failed');
      const { deliveredAt, readAt } = await findMessage(id);
      expect(await findMessage(id)).toMatchObject({ status, errorCode: null, endedAt: null });
      expect([deliveredAt !== null, readAt !== null]).toEqual([true, status === 'read']);
      expect(await readBalance(heliograph.deps, channel.account.id)).toEqual(balance);
      await expectCorrectCounts();
      await waitFor('the changes', async () => (await listChanges(id)).at(-1) === status);
      expect(await listChanges(id)).toEqual(['sent', 'failed', ...steps]);
      const events = await listStatusEvents(id);
      // Events written by one statement may have IDs from the same millisecond, so their order is undefined.
      expect(events.map((event) => event.status).sort()).toEqual(['sent', 'failed', ...steps].sort());
      expect(events.map(({ errorCode }) => errorCode)).toEqual([null, '131026', ...steps.map(() => null)]);
      const history = await findHistory(heliograph.deps, channel.account.id, id);
      expect(history?.timeline.filter(({ type }) => type === 'superseded_receipt')).toEqual([
        expect.objectContaining({ status: 'failed', error: expect.objectContaining({ code: '131026' }) }),
      ]);
      await heliograph.deps.prisma.webhook.delete({ where: { id: webhook.id } });
    },
  );

  it.each([[['failed', 'delivered']], [['delivered', 'failed']], [['failed', 'read', 'delivered']]])(
    'a failure that Meta reports later is never counted if the same webhook reports delivery: %j',
    async (statuses) => {
      const { id, accepted } = await sendAndWait();
      await report(accepted, ...statuses);
      expect(await findMessage(id)).toMatchObject({
        status: statuses.includes('read') ? 'read' : 'delivered',
        errorCode: null,
      });
      await expectCorrectCounts();
    },
  );

  it('a failure that Meta reports later can arrive together with the delivery before the response to the send', async () => {
    stub.beforeAnswer = async (acceptedMessage) => {
      await report(acceptedMessage, 'failed');
      await report(acceptedMessage, 'delivered');
    };
    const id = await send();
    await waitForStatus(heliograph, [id], 'delivered');
    expect(await findMessage(id)).toMatchObject({ errorCode: null, endedAt: null });
    await expectCorrectCounts();
  });

  it('a failure that Meta reports later is subtracted from the hour in which it was counted', async () => {
    const owner = await createMetaChannel(heliograph, stub, { phoneNumberId: '106540352242923' });
    stub.numbers.set('106540352242923', '15550783881');
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: owner.account.headers,
      payload: { to: '15005550100', from: owner.phoneNumber, channel: 'whatsapp', message: 'Hi' },
    });
    const id = response.json().data[0].message_id as string;
    await waitForStatus(heliograph, [id], 'sent');
    const failure = buildStatusFor(findAccepted(id), 'failed', {
      timestamp: Math.floor(clock.now().getTime() / 1000),
      error,
    });
    const post = async (status: Record<string, unknown>) => {
      const body = buildEnvelope({ statuses: [status] }, { number: '106540352242923' });
      expect((await postWebhook(heliograph, stub, CARRIER, body)).statusCode).toBe(200);
      await waitFor(
        'the webhook to be processed',
        async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
      );
    };
    clock.advance(3 * HOUR_MS);
    await post(failure);
    const countFailures = () =>
      heliograph.deps.pool
        .query<{ hour: Date; messages: number }>(
          `SELECT hour, sum(messages)::int AS messages FROM (
             SELECT hour, messages FROM hourly_counts WHERE account_id = $1 AND event = 'failed'
             UNION ALL SELECT hour, messages FROM count_deltas WHERE account_id = $1 AND 'failed' = ANY(events)
           ) counted GROUP BY hour`,
          [owner.account.id],
        )
        .then(({ rows }) => rows);
    const [counted] = await countFailures();
    expect(counted?.messages).toBe(1);
    clock.advance(2 * HOUR_MS);
    const deliveredSeconds = Math.floor(clock.now().getTime() / 1000);
    await post(buildStatusFor(findAccepted(id), 'delivered', { timestamp: deliveredSeconds }));
    expect(await findMessage(id)).toMatchObject({ status: 'delivered' });
    expect(await countFailures()).toEqual([{ hour: counted?.hour, messages: 0 }]);
    await expectCorrectCounts(owner.account.id);
  });

  it('a failure that Meta reports later is removed from the results of its campaign', async () => {
    await createTemplate(heliograph.deps, channel);
    stub.templates.push({
      ...{ id: '77', name: 'hello', language: 'en_US', status: 'APPROVED', category: 'MARKETING' },
      components: [{ type: 'BODY', text: 'Hello' }],
    });
    const group = await createGroup(heliograph.deps, channel, { size: 1 });
    const { id: campaignId } = await createCampaign(heliograph, channel, { groupId: group.id });
    const message = await waitFor('its message', () =>
      heliograph.deps.prisma.message.findFirst({ where: { campaignId, status: 'sent' } }),
    );
    await report(findAccepted(message.id), 'failed');
    const readResults = async () => (await readCampaign(heliograph, channel, campaignId)) as { messages?: object };
    expect(JSON.stringify(await readResults())).toContain('"failed":1');
    await report(findAccepted(message.id), 'read');
    expect(JSON.stringify(await readResults())).toMatch(/"read":1.*"failed":0|"failed":0.*"read":1/);
  });

  it('a failure that Meta reports later does not affect its fallback SMS when it is replaced', async () => {
    const { id, accepted } = await sendAndWait({ fallback: { channel: 'sms', from: 'Shop', message: 'By SMS' } });
    await report(accepted, 'failed');
    const fallback = await waitFor('the SMS', () =>
      heliograph.deps.prisma.fallback.findFirst({ where: { messageId: id, smsId: { not: null } } }),
    );
    const balance = await readBalance(heliograph.deps, channel.account.id);
    await report(accepted, 'delivered');
    expect(await findMessage(id)).toMatchObject({ status: 'delivered', refunded: false });
    await waitForStatus(heliograph, [fallback.smsId as string], 'delivered');
    expect(await readBalance(heliograph.deps, channel.account.id)).toEqual(balance);
    const history = await findHistory(heliograph.deps, channel.account.id, id);
    expect(history?.timeline.filter(({ type }) => type === 'fallback')).toMatchObject([{ status: 'accepted' }]);
  });

  it('a failure that Meta reports later is not replaced if Meta refused the message in its response', async () => {
    stub.fault = () => new MetaRefusal(131026, 'Message undeliverable');
    const id = await send();
    await waitForStatus(heliograph, [id], 'failed');
    const body = { biz_opaque_callback_data: id };
    await report({ id: 'wamid.stranger', phoneNumberId: '', to: '', body, acceptedAt: 0 }, 'delivered');
    expect(await findMessage(id)).toMatchObject({ status: 'failed', refunded: true });
    await expectCorrectCounts();
  });
});

describe('failures reported by other carriers', () => {
  const { heliograph } = suiteMeta({ role: 'api' });

  it('a failure reported by another carrier is not replaced, even for a WhatsApp message', async () => {
    const simulatedChannel = await createTestChannel(heliograph.deps);
    const id = newId();
    const carrierMessageId = `sim-${id}`;
    await heliograph.deps.pool.query(
      `INSERT INTO messages (id, account_id, channel_id, created_at, valid_until, price_micros, surface, kind, status, priority,
         parts, attempts, carrier, sender, recipient, body, sent_at, carrier_message_id)
       VALUES ($1, $2, $3, now(), now() + interval '1 day', 1, 'a', 'whatsapp', 'sent', 0, 1, 1, 'simulator', $4, '15005550100',
         'Hi', now(), $5)`,
      [id, simulatedChannel.account.id, simulatedChannel.channelId, simulatedChannel.phoneNumber, carrierMessageId],
    );
    const createReceipt = (status: Receipt['status']): Receipt => ({
      ...{ carrier: 'simulator', carrierMessageId, messageId: id, status, occurredAt: new Date() },
    });
    await heliograph.deps.receipts.receive([createReceipt('failed')]);
    await heliograph.deps.receipts.receive([createReceipt('delivered')]);
    await heliograph.deps.receipts.receive([createReceipt('read')]);
    const row = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ status: 'failed', deliveredAt: null, readAt: null });
  });
});
