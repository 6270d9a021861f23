import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeCarrier } from '../../../src/carriers/setup/carriers.js';
import { resumeChannel } from '../../../src/features/channels/channels.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { readBalance } from '../../support/accounts.js';
import type { AcceptedMessage } from '../../support/carriers/cloud-api/cloud-api.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { buildEnvelope, buildInbound, buildStatusFor, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { call } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, createMetaChannel, suiteMeta } from './meta-channel.js';

const FULL = 100_000_000n;
const PRICE = 10_000n;

const { stub, heliograph, channel } = suiteMeta({ settings: { SEND_WAIT_MS: '20000' } });
beforeAll(() => addTemplate(heliograph, channel, { name: 'hello_world' }));
beforeEach(() => {
  stub.fault = () => null;
  stub.beforeAnswer = async () => undefined;
  stub.accepted.length = 0;
  stub.templates.length = 0;
  const template = { id: '1', name: 'hello_world', language: 'en_US', status: 'APPROVED', category: 'UTILITY' };
  stub.templates.push({ ...template, components: [{ type: 'BODY', text: 'Hello' }] });
});

let digits = 15_005_550_200;
const nextRecipient = () => {
  digits += 1;
  return String(digits);
};
const send = (to: string, from = channel) =>
  call(heliograph, from, 'POST', '/messages/template', { to, templateName: 'hello_world', language: 'en_US' });
const sendV2 = (payload: object, from = channel) =>
  heliograph.app.inject({
    method: 'POST',
    url: '/v2/send',
    headers: from.account.headers,
    payload: { from: from.phoneNumber, channel: 'whatsapp', ...payload },
  });
const findRow = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
const report = (...statuses: object[]) => postWebhook(heliograph, stub, CARRIER, buildEnvelope({ statuses }));
const getLastAccepted = () => stub.accepted.at(-1) as AcceptedMessage;
const waitForStatus = (id: string, status: string) =>
  waitFor(`the message to be ${status}`, async () => (await findRow(id)).status === status && findRow(id));

describe('messages', () => {
  it('a WhatsApp message is sent to Meta, and its statuses are applied', async () => {
    const { messageId, whatsappMessageId, status } = (await send(nextRecipient())).json().data;
    expect(status).toBe('sent');
    expect(whatsappMessageId).toBe(getLastAccepted().id);
    await report(buildStatusFor(getLastAccepted(), 'sent'));
    await report(buildStatusFor(getLastAccepted(), 'delivered', { timestamp: 1_800_000_000 }));
    expect(await waitForStatus(messageId, 'delivered')).toMatchObject({ deliveredAt: new Date(1_800_000_000_000) });
    await report(buildStatusFor(getLastAccepted(), 'read'));
    await waitForStatus(messageId, 'read');
  });

  it.each([
    ['text', { message: 'https://example.com', preview_url: true }],
    ['image', { message: 'Look', media_url: 'https://example.com/a.png', template_data: { type: 'image' } }],
    ['document', { media_url: 'https://example.com/bill', template_data: { type: 'document' } }],
    ['template', { template_id: 'hello_world' }],
  ])('a WhatsApp message of type %s passes Meta’s validation', async (type, payload) => {
    const id = (await sendV2({ to: nextRecipient(), ...payload })).json().data[0].message_id;
    await waitForStatus(id, 'sent');
    expect(getLastAccepted().body).toMatchObject({ type, biz_opaque_callback_data: id });
  });

  it('a WhatsApp message is found by Meta’s ID if the status lacks ours', async () => {
    const { messageId } = (await send(nextRecipient())).json().data;
    await report(buildStatusFor(getLastAccepted(), 'read', { callbackData: undefined }));
    const row = await waitForStatus(messageId, 'read');
    // A message that was read was also delivered, even if Meta never reported the delivery.
    expect(row.deliveredAt).toEqual(row.readAt);
  });

  it('a WhatsApp message accepts statuses in any order and repeated', async () => {
    const { messageId } = (await send(nextRecipient())).json().data;
    const statuses = ['read', 'delivered', 'sent', 'read', 'delivered'].map((status) =>
      buildStatusFor(getLastAccepted(), status),
    );
    for (const status of statuses) await report(status);
    await report(...statuses);
    await report(
      buildStatusFor(getLastAccepted(), 'failed', { error: { code: 131026, title: 'Undeliverable', details: '' } }),
    );
    await waitFor(
      'all webhooks to be processed',
      async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
    );
    expect(await findRow(messageId)).toMatchObject({ status: 'read', errorCode: null });
  });

  it('a WhatsApp message that fails after it was accepted stores the reason and is not refunded', async () => {
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const { messageId } = (await send(nextRecipient())).json().data;
    const error = { code: 131026, title: 'Message undeliverable', details: 'Not a WhatsApp number.' };
    await report(buildStatusFor(getLastAccepted(), 'failed', { error }));
    expect(await waitForStatus(messageId, 'failed')).toMatchObject({
      errorCode: '131026',
      errorMessage: 'Not a WhatsApp number.',
      refunded: false,
    });
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore - PRICE);
  });

  it('a WhatsApp message is delivered even if the status arrives before the response to the send', async () => {
    stub.beforeAnswer = async (sentMessage) => {
      await report(buildStatusFor(sentMessage, 'delivered', { callbackData: undefined }));
      await waitFor(
        'the webhook to be processed',
        async () => (await heliograph.deps.prisma.carrierCallback.count()) === 0,
      );
    };
    const { messageId } = (await send(nextRecipient())).json().data;
    await waitForStatus(messageId, 'delivered');
  });

  it('a WhatsApp message that Meta refuses gets 400 with the reason, and is refunded', async () => {
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    stub.fault = () => new MetaRefusal(131047, 'Re-engagement message', { details: 'More than 24 hours have passed.' });
    const response = await send(nextRecipient());
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({
      code: 'CARRIER_REFUSED',
      message: expect.stringContaining('More than 24 hours have passed.'),
    });
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
  });

  it('a WhatsApp message whose response is lost is sent again, and a status of either copy counts', async () => {
    stub.fault = () => (stub.accepted.length === 0 ? 'accepted-and-cut' : null);
    const id = (await sendV2({ to: nextRecipient(), message: 'Hi' })).json().data[0].message_id;
    await waitForStatus(id, 'sent');
    expect(stub.accepted).toHaveLength(2);
    await report(buildStatusFor(stub.accepted[0] as AcceptedMessage, 'delivered'));
    await waitForStatus(id, 'delivered');
    expect(await findRow(id)).toMatchObject({ attempts: 2, maybeAccepted: true });
  });

  it.each([130429, 131016, 131000, 2])(
    'a WhatsApp message that Meta refuses temporarily (%i) is sent later, once',
    async (code) => {
      let refusals = 0;
      const number = `8000${code}`;
      stub.numbers.set(number, '15550000001');
      const busyChannel = await createMetaChannel(heliograph, stub, { phoneNumberId: number });
      stub.fault = () => {
        refusals += 1;
        return refusals === 1 ? new MetaRefusal(code, 'Later', { status: 503 }) : null;
      };
      const id = (await sendV2({ to: nextRecipient(), message: 'Hi' }, busyChannel)).json().data[0].message_id;
      await waitForStatus(id, 'sent');
      expect(stub.accepted).toHaveLength(1);
    },
  );

  it('a WhatsApp message that hits the pair limit delays only messages to its recipient', async () => {
    const busyRecipient = nextRecipient();
    stub.fault = ({ to }) => (to === `+${busyRecipient}` ? new MetaRefusal(131056, 'Pair limit') : null);
    const delayedId = (await sendV2({ to: busyRecipient, message: 'Hi' })).json().data[0].message_id;
    await waitFor('the refusal', async () => (await findRow(delayedId)).errorCode === '131056');
    const otherMessages = (
      await sendV2({ to: [nextRecipient(), nextRecipient(), nextRecipient()], message: 'Hi' })
    ).json().data;
    for (const { message_id } of otherMessages) await waitForStatus(message_id, 'sent');
    expect(await findRow(delayedId)).toMatchObject({ status: 'sending', errorCode: '131056' });
    stub.fault = () => null;
    await waitForStatus(delayedId, 'sent');
  });

  it('a WhatsApp message waits while Meta is unreachable', async () => {
    await stub.stop();
    const id = (await sendV2({ to: nextRecipient(), message: 'Hi' })).json().data[0].message_id;
    await waitFor('the failure', async () => (await findRow(id)).errorCode === 'UNREACHABLE');
    expect(await findRow(id)).toMatchObject({ maybeAccepted: false });
    await stub.start();
    await waitForStatus(id, 'sent');
    expect(stub.accepted).toHaveLength(1);
  });
});

describe('inbound messages', () => {
  it('an inbound WhatsApp message opens the reply window', async () => {
    const reply = () => call(heliograph, channel, 'POST', '/messages/reply', { to: '16505551234', message: 'Yes' });
    expect((await reply()).statusCode).toBe(403);
    await postWebhook(heliograph, stub, CARRIER, buildEnvelope(buildInbound('text', { body: 'In another color?' })));
    await waitFor('the window', async () => (await reply()).statusCode === 200);
    expect(getLastAccepted().body).toMatchObject({ to: '+16505551234', text: { body: 'Yes' } });
    const contacts = (await call(heliograph, channel, 'GET', '/contacts?search=16505551234')).json().data.contacts;
    expect(contacts).toMatchObject([{ name: 'Sheena Nelson' }]);
  });
});

describe('templates', () => {
  it('WhatsApp templates are submitted to Meta, and a sync updates their statuses', async () => {
    const draft = { name: 'order_ready', language: 'en_US', category: 'UTILITY' };
    const components = [{ type: 'BODY', text: 'Order {{1}} is ready.', example: { body_text: [['7']] } }];
    const created = await call(heliograph, channel, 'POST', '/templates', { ...draft, components });
    expect(created.json().data).toMatchObject({ status: 'PENDING' });
    const submittedTemplate = stub.templates.find(({ name }) => name === 'order_ready');
    expect(submittedTemplate).toMatchObject({ ...draft, components });
    Object.assign(submittedTemplate as object, { status: 'APPROVED' });
    stub.templates.push({
      id: '2',
      name: 'of_meta',
      language: 'de',
      status: 'PAUSED',
      category: 'MARKETING',
      components,
    });
    const { data } = (await call(heliograph, channel, 'POST', '/templates/sync')).json();
    expect(data).toMatchObject({ added: 1, updated: 1 });
    const states = Object.fromEntries(
      data.templates.map((template: { name: string; status: string }) => [template.name, template.status]),
    );
    expect(states).toEqual({ hello_world: 'APPROVED', order_ready: 'APPROVED', of_meta: 'PAUSED' });
  });
});

describe('channel problems', () => {
  it('a sending problem of the whole channel pauses the channel and sets its health; messages are sent after the channel is resumed', async () => {
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const readHealth = async () =>
      (await call(heliograph, channel, 'GET', '/account')).json().data.channel.healthStatus;
    stub.fault = () => new MetaRefusal(133010, 'Phone number not registered');
    const recipients = Array.from({ length: 5 }, nextRecipient);
    const sentMessages = (await sendV2({ to: recipients, message: 'Hi' })).json().data as { message_id: string }[];
    for (const { message_id } of sentMessages) {
      await waitFor('the refusal', async () => (await findRow(message_id)).errorCode === '133010');
      expect(await findRow(message_id)).toMatchObject({ status: 'sending', refunded: false });
    }
    await waitFor('the health', async () => (await readHealth()) === 'number_not_registered');
    stub.fault = () => null;
    const { prisma, pool } = heliograph.deps;
    await resumeChannel(prisma, pool, channel.channelId, systemClock.now());
    for (const { message_id } of sentMessages) await waitForStatus(message_id, 'sent');
    await waitFor('the health', async () => (await readHealth()) === 'healthy');
    expect(stub.accepted.map(({ to }) => to).sort()).toEqual([...recipients].sort());
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore - 5n * PRICE);
  });

  it('a sending problem of the whole channel also pauses the channel if a status reports it', async () => {
    const { prisma, pool } = heliograph.deps;
    const { messageId } = (await send(nextRecipient())).json().data;
    const sentMessage = getLastAccepted();
    const error = { code: 131042, title: 'Business eligibility payment issue', details: 'Pay!' };
    await report(buildStatusFor(sentMessage, 'failed', { error, timestamp: Math.ceil(Date.now() / 1000) }));
    expect(await waitForStatus(messageId, 'failed')).toMatchObject({ errorCode: '131042', refunded: false });
    const [paused] = await waitFor('the pause', async () => {
      const rows = await prisma.channel.findMany({ where: { id: channel.channelId, pausedAt: { not: null } } });
      return rows.length > 0 && rows;
    });
    expect(paused).toMatchObject({ healthStatus: 'payment_problem', pauseCode: '131042', pauseReason: 'Pay!' });
    await resumeChannel(prisma, pool, channel.channelId, systemClock.now());
    const readHealth = async () =>
      (await call(heliograph, channel, 'GET', '/account')).json().data.channel.healthStatus;
    await waitFor('the health', async () => (await readHealth()) === 'healthy');
  });
});

describe('refused tokens', () => {
  it('an access token that Meta refuses pauses sending and sets the health; sending resumes when the token is replaced', async () => {
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const readHealth = async () =>
      (await call(heliograph, channel, 'GET', '/account')).json().data.channel.healthStatus;
    expect(await readHealth()).toBe('healthy');
    stub.tokens.clear();
    const recipients = Array.from({ length: 5 }, nextRecipient);
    const sentMessages = (await sendV2({ to: recipients, message: 'Hi' })).json().data as { message_id: string }[];
    await waitFor('the health', async () => (await readHealth()) === 'token_refused');
    for (const { message_id } of sentMessages) {
      await waitFor('the refusal', async () => (await findRow(message_id)).errorCode === '190');
      expect(await findRow(message_id)).toMatchObject({ status: 'sending', refunded: false });
      expect((await findRow(message_id)).errorMessage).not.toContain(stub.token);
    }
    stub.tokens.add('EAAnew');
    const { pool, prisma, carriers } = heliograph.deps;
    await waitFor('all messages to be delayed', async () => {
      const { rowCount } = await pool.query(
        `UPDATE messages SET not_before = now() + interval '1 day', next_look = now() + interval '1 day'
         WHERE id = ANY($1) AND status = 'sending' AND lease_until IS NULL`,
        [sentMessages.map(({ message_id }) => message_id)],
      );
      return rowCount === sentMessages.length;
    });
    await changeCarrier(prisma, CARRIER, { set: { accessToken: 'EAAnew' }, unset: [] });
    await carriers.reload();
    for (const { message_id } of sentMessages) await waitForStatus(message_id, 'sent');
    await waitFor('the health', async () => (await readHealth()) === 'healthy');
    expect(stub.accepted.map(({ to }) => to).sort()).toEqual([...recipients].sort());
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore - 5n * PRICE);
    expect(balanceBefore).toBeLessThan(FULL);
  });
});
