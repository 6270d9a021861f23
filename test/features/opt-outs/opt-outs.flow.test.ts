import { beforeEach, expect, it } from 'vitest';
import { receiveInbound } from '../../../src/features/inbound/receive.js';
import {
  addOptOut,
  listOptOuts,
  removeOptOut,
  removeOptOutWord,
  setOptOutWord,
} from '../../../src/features/opt-outs/opt-outs.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { createAutomation, triggerAutomation, waitForRun } from '../../support/automations.js';
import { describeFeature } from '../../support/backends.js';
import { createCampaign, waitForCampaign } from '../../support/campaigns.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const PHONE = '15005550111';
const FULL = 100_000_000n;

describeFeature('opt-outs', (backend) => {
  const heliograph = suiteApp({ backend });
  let sms: TestChannel;
  let whatsapp: TestChannel;

  beforeEach(async () => {
    sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    whatsapp = await createTestChannel(heliograph.deps, sms.account);
  });

  async function receive(text: string, channel = sms, overrides: object = {}) {
    const response = await playInbound(heliograph, channel, { from: PHONE, text, ...overrides });
    expect(response.statusCode, response.body).toBe(200);
  }
  async function send(body: object, caller = sms): Promise<string> {
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: caller.account.headers,
      payload: { from: caller.phoneNumber, to: PHONE, message: 'Hello', ...body },
    });
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data[0].message_id;
  }
  async function expectRejected(id: string, caller = sms) {
    await waitForStatus(heliograph, [id], 'rejected');
    const url = `/v2/messages/${id}`;
    return (await heliograph.app.inject({ url, headers: caller.account.headers })).json().data;
  }
  const waitForDelivery = (...ids: string[]) => waitForStatus(heliograph, ids, 'delivered');
  const readOwnBalance = () => readBalance(heliograph.deps, sms.account.id);

  it('after STOP, an SMS is rejected with OPTED_OUT and not charged, until START', async () => {
    await waitForDelivery(await send({}));
    await receive('Stop.');
    const data = await expectRejected(await send({}));
    expect(data).toMatchObject({ error: { code: 'OPTED_OUT', message: expect.any(String) }, refunded: true });
    expect(data.history.map(({ status }: { status: string }) => status)).toEqual(['queued', 'sending', 'rejected']);
    expect(await readOwnBalance()).toBe(FULL - 10_000n);
    await receive('start');
    await waitForDelivery(await send({}));
    expect(await readOwnBalance()).toBe(FULL - 20_000n);
  });

  it('an opt-out applies to the sender in any spelling, and to no other sender, number or account', async () => {
    await receive('STOP');
    const { phoneNumber } = sms;
    for (const from of [`+${phoneNumber}`, `+${phoneNumber.slice(0, 2)} ${phoneNumber.slice(2)}`]) {
      await expectRejected(await send({ from }));
    }
    const v1Response = await heliograph.app.inject({
      method: 'POST',
      url: '/v1.0/sms/send',
      headers: sms.account.headers,
      payload: { from: phoneNumber, to: `+${PHONE},15005550112`, message: 'Hello' },
    });
    const [blocked, otherId] = v1Response.json().data.map(({ message_id }: { message_id: string }) => message_id);
    await expectRejected(blocked);
    const otherAccountChannel = { ...sms, account: await createTestAccount(heliograph.deps) };
    await waitForDelivery(
      otherId,
      await send({ from: 'Heliograph' }),
      await send({ from: whatsapp.phoneNumber, channel: 'whatsapp' }),
      await send({}, otherAccountChannel),
    );
  });

  it('a text that only contains a keyword, or a caption, opts out nobody', async () => {
    for (const text of ['please stop', "Don't stop!", 'the end is near', 'STOPP', 'stop stop']) await receive(text);
    await receive('stop', whatsapp, { type: 'image', payload: { link: 'https://example.com/a.png', caption: 'stop' } });
    expect(await heliograph.deps.prisma.optOut.count({ where: { accountId: sms.account.id, isActive: true } })).toBe(0);
    await waitForDelivery(await send({}));
  });

  it('a tap on "Stop" or an account keyword opts out, a tap on "Cancel" or "End" does not', async () => {
    const { prisma } = heliograph.deps;
    const accountId = whatsapp.account.id;
    await setOptOutWord(prisma, { accountId, word: 'No more', meaning: 'stop' });
    const tapButton = (type: 'button' | 'interactive', text: string) =>
      receiveInbound(
        heliograph.deps,
        { id: whatsapp.channelId, accountId, kind: 'whatsapp', phoneNumber: whatsapp.phoneNumber },
        { carrierMessageId: newId(), from: PHONE, type, body: text, payload: {}, receivedAt: new Date() },
      );
    const listKeywords = () =>
      prisma.optOut.findMany({ where: { accountId, isActive: true }, select: { keyword: true } });

    for (const text of ['Cancel', 'END', 'Quit', 'Revoke']) {
      await tapButton('button', text);
      await tapButton('interactive', text);
    }
    expect(await listKeywords()).toEqual([]);
    await tapButton('button', 'Stop');
    expect(await listKeywords()).toEqual([{ keyword: 'stop' }]);
    await tapButton('interactive', 'Start');
    await tapButton('interactive', 'No more!');
    expect(await listKeywords()).toEqual([{ keyword: 'no more' }]);
  });

  it('STOP also rejects queued messages', async () => {
    const scheduled_at = new Date(Date.now() + 60_000).toISOString();
    const id = await send({ scheduled_at });
    await receive('unsubscribe');
    await heliograph.deps.pool.query(
      "UPDATE messages SET not_before = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    await expectRejected(id);
    expect(await readOwnBalance()).toBe(FULL);
  });

  it('on WhatsApp, STOP rejects sends of both surfaces, campaigns and automations', async () => {
    await createTemplate(heliograph.deps, whatsapp);
    await receive('STOP', whatsapp, { type: 'button' });
    await expectRejected(await send({ channel: 'whatsapp', from: whatsapp.phoneNumber }));

    const template = { to: PHONE, templateName: 'hello', language: 'en_US' };
    for (const [path, body] of [
      ['template', template],
      ['reply', { to: PHONE, message: 'Hello' }],
    ] as const) {
      const response = await call(heliograph, whatsapp, 'POST', `/messages/${path}`, body);
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ success: false, error: { code: 'OPTED_OUT' } });
    }

    const contact = await heliograph.deps.prisma.contact.findFirstOrThrow({
      where: { channelId: whatsapp.channelId, phone: PHONE },
    });
    const group = await createGroup(heliograph.deps, whatsapp, { size: 2 });
    await call(heliograph, whatsapp, 'POST', `/contacts/groups/${group.id}/add`, { contactId: contact.id });
    const { id } = await createCampaign(heliograph, whatsapp, { groupId: group.id });
    const completedCampaign = await waitForCampaign(heliograph, whatsapp, id, 'completed');
    expect(completedCampaign.counts).toMatchObject({ rejected: 1 });

    const automation = await createAutomation(heliograph, whatsapp, [
      { type: 'send_template', templateName: 'hello', language: 'en_US' },
    ]);
    const run = await triggerAutomation(heliograph, whatsapp, automation, { phone: PHONE });
    await waitForRun(heliograph, whatsapp, automation, 'completed');
    expect(run.contactId).toBe(contact.id);
    const toContact = { accountId: whatsapp.account.id, kind: 'whatsapp' as const, recipient: PHONE };
    await waitFor('every message to the number to be rejected', async () => {
      const messages = await heliograph.deps.prisma.message.findMany({ where: toContact });
      return messages.length === 5 && messages.every(({ status, refunded }) => status === 'rejected' && refunded);
    });
    expect(await readOwnBalance()).toBe(FULL - 20_000n);
  });

  it("an account's own keywords, in any language, apply only to that account, until they are removed", async () => {
    const { prisma } = heliograph.deps;
    const accountId = sms.account.id;
    await setOptOutWord(prisma, { accountId, word: 'Arrêt', meaning: 'stop' });
    await setOptOutWord(prisma, { accountId, word: 'encore', meaning: 'start' });
    const otherChannel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    await receive('ARRÊT !');
    await receive('ARRÊT !', otherChannel);
    await expectRejected(await send({}));
    await waitForDelivery(await send({}, otherChannel));
    await receive('Encore');
    await waitForDelivery(await send({}));
    await removeOptOutWord(prisma, accountId, 'arrêt');
    await receive('arrêt');
    await waitForDelivery(await send({}));
  });

  it('repeated and late reports do not change a later decision', async () => {
    const report = (text: string, receivedAt: Date, carrierMessageId: string = newId()) =>
      receiveInbound(
        heliograph.deps,
        { id: sms.channelId, accountId: sms.account.id, kind: 'sms', phoneNumber: sms.phoneNumber },
        { carrierMessageId, from: PHONE, type: 'text', body: text, payload: { body: text }, receivedAt },
      );
    const { prisma } = heliograph.deps;
    const ref = { accountId: sms.account.id, kind: 'sms' as const, sender: sms.phoneNumber, phone: PHONE };
    const countOptOuts = async () => (await listOptOuts(prisma, sms.account.id)).length;
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

    await report('START', minutesAgo(20));
    await report('STOP', minutesAgo(21));
    expect(await countOptOuts()).toBe(0);
    await waitForDelivery(await send({}));
    await report('STOP', minutesAgo(10), 'first');
    await report('START', minutesAgo(11));
    expect(await countOptOuts()).toBe(1);
    await report('START', minutesAgo(5));
    expect(await countOptOuts()).toBe(0);
    await report('STOP', minutesAgo(10), 'first');
    await report('STOP', minutesAgo(6));
    expect(await countOptOuts()).toBe(0);
    await waitForDelivery(await send({}));

    await addOptOut(prisma, { ...ref, at: minutesAgo(4) });
    expect(await countOptOuts()).toBe(1);
    await expectRejected(await send({}));
    await removeOptOut(prisma, { ...ref, at: minutesAgo(2) });
    await report('STOP', minutesAgo(3));
    expect(await countOptOuts()).toBe(0);
    await report('STOP', minutesAgo(1));
    expect(await countOptOuts()).toBe(1);
  });

  it('an opt-out stays in force after its contact is deleted', async () => {
    await receive('STOP');
    const contact = await heliograph.deps.prisma.contact.findFirstOrThrow({ where: { channelId: sms.channelId } });
    expect((await call(heliograph, sms, 'DELETE', `/contacts/${contact.id}`)).statusCode).toBe(200);
    await expectRejected(await send({}));
  });
});
