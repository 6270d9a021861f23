import { beforeEach, describe, expect, it } from 'vitest';
import { recordPreference } from '../../../src/features/contacts/identity/record-preference.js';
import { setOptOutByOperator } from '../../../src/features/opt-outs/by-operator.js';
import { findFormatFacts } from '../../../src/features/webhooks/formats.js';
import { buildTwilioForm } from '../../../src/features/webhooks/twilio/form.js';
import { newId } from '../../../src/platform/ids.js';
import { inSharedTransaction } from '../../../src/platform/store/transaction.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { turnRepliesOn } from '../../support/keyword-replies.js';
import { sharedApp } from '../../support/suite.js';

const PHONE = '15005550111';
const OPT_OUT_EVENTS = ['contact.opted_out', 'contact.opted_in'];

describe('the events contact.opted_out and contact.opted_in', () => {
  const heliograph = sharedApp({ role: 'api' });
  let sms: TestChannel;
  let whatsapp: TestChannel;

  beforeEach(async () => {
    sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    whatsapp = await createTestChannel(heliograph.deps, sms.account);
    for (const channel of [sms, whatsapp]) await subscribe(channel, OPT_OUT_EVENTS);
  });

  async function subscribe(channel: TestChannel, events: readonly string[]) {
    const response = await call(heliograph, channel, 'POST', '/webhooks', { url: 'https://example.com/hook', events });
    expect(response.statusCode, response.body).toBe(200);
  }
  const receive = (text: string, channel = sms) => playInbound(heliograph, channel, { from: PHONE, text });
  async function listEvents() {
    const { rows } = await heliograph.deps.pool.query<{ type: string; data: { contactId: string | null } }>(
      `SELECT d.type, d.data FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
       WHERE w.account_id = $1 ORDER BY d.id`,
      [sms.account.id],
    );
    return rows;
  }
  const setByOperator = (isActive: boolean, ref: { kind: 'sms' | 'whatsapp'; sender: string }) =>
    inSharedTransaction(heliograph.deps.prisma, (transaction) =>
      setOptOutByOperator(transaction, isActive, { ...ref, accountId: sms.account.id, phone: PHONE, at: new Date() }),
    );

  it('a keyword sends an event only if it changes something, and only to webhooks that subscribe', async () => {
    await subscribe(sms, ['contact.updated']);
    for (const text of ['START', 'Unsubscribe', 'STOP', 'hello', 'HELP', 'START', 'START']) await receive(text);
    const { id: contactId } = await heliograph.deps.prisma.contact.findFirstOrThrow({
      where: { channelId: sms.channelId },
    });
    const person = { contactId, phone: PHONE, userId: null, username: null };
    const sender = {
      channel: 'sms',
      channelId: sms.channelId,
      sender: sms.phoneNumber,
      source: 'keyword',
      scope: 'all',
    };
    const events = (await listEvents()).filter(({ type }) => OPT_OUT_EVENTS.includes(type));
    expect(events).toEqual([
      { type: 'contact.opted_out', data: { ...person, ...sender, keyword: 'unsubscribe' } },
      { type: 'contact.opted_in', data: { ...person, ...sender, keyword: 'start' } },
    ]);
  });

  it('a request that changes a contact has the source api', async () => {
    const created = await call(heliograph, whatsapp, 'POST', '/contacts', { phone: PHONE, optedOut: true });
    const { id } = created.json().data;
    await call(heliograph, whatsapp, 'PUT', `/contacts/${id}`, { optedOut: true });
    await call(heliograph, whatsapp, 'PUT', `/contacts/${id}`, { optedOut: false });
    const data = { contactId: id, channelId: whatsapp.channelId, phone: PHONE, keyword: null, source: 'api' };
    expect(await listEvents()).toMatchObject([
      { type: 'contact.opted_out', data },
      { type: 'contact.opted_in', data },
    ]);
  });

  it('an operator’s change has the source operator, without a contact if the person is none', async () => {
    await setByOperator(true, { kind: 'sms', sender: sms.phoneNumber });
    await setByOperator(true, { kind: 'sms', sender: sms.phoneNumber });
    await setByOperator(false, { kind: 'sms', sender: sms.phoneNumber });
    const data = { contactId: null, channelId: sms.channelId, phone: PHONE, keyword: null, source: 'operator' };
    expect(await listEvents()).toMatchObject([
      { type: 'contact.opted_out', data },
      { type: 'contact.opted_in', data },
    ]);
  });

  it('a choice in WhatsApp has the source whatsapp and gets no reply', async () => {
    await turnRepliesOn(heliograph, whatsapp);
    await receive('hello', whatsapp);
    const channel = {
      ...{ id: whatsapp.channelId, accountId: whatsapp.account.id },
      ...{ kind: 'whatsapp' as const, phoneNumber: whatsapp.phoneNumber },
    };
    const preference = { channel, phone: PHONE, userId: null, parentUserId: null, category: 'marketing_messages' };
    await recordPreference(heliograph.deps, { ...preference, wantsNone: true, at: new Date() });
    expect(await listEvents()).toMatchObject([
      { type: 'contact.opted_out', data: { contactId: expect.any(String), keyword: null, source: 'whatsapp' } },
    ]);
    expect(await heliograph.deps.prisma.message.count({ where: { accountId: sms.account.id } })).toBe(0);
  });

  it('webhooks in Twilio’s format carry OptOutType', async () => {
    const { deps } = heliograph;
    await turnRepliesOn(heliograph, sms);
    await deps.prisma.optOutWord.create({ data: { accountId: sms.account.id, word: 'no more', meaning: 'stop' } });
    const { id: webhookId } = await deps.prisma.webhook.create({
      data: {
        ...{ id: newId(), accountId: sms.account.id, channelId: sms.channelId, url: 'https://example.com/twilio' },
        ...{ events: ['message.received'], secret: 'x', format: 'twilio' },
      },
    });
    for (const text of ['STOP', 'nomore', 'start', 'HELP', 'HELP', 'hello']) await receive(text);
    const deliveries = await deps.prisma.webhookDelivery.findMany({ where: { webhookId }, orderBy: { id: 'asc' } });
    const facts = await findFormatFacts(
      { pool: deps.pool, publicUrl: 'https://example.com' },
      deliveries.map(({ id }) => ({ id, format: 'twilio' as const })),
    );
    const types = deliveries.map(({ id, data }) => {
      const factsOfDelivery = facts.get(id);
      if (factsOfDelivery?.format !== 'twilio') throw new Error('no facts');
      return buildTwilioForm({ type: 'message.received', data: JSON.stringify(data) }, factsOfDelivery.facts)
        .OptOutType;
    });
    // The second HELP got no reply, because the first one did.
    expect(types).toEqual(['STOP', 'STOP', 'START', 'HELP', undefined, undefined]);
  });
});
