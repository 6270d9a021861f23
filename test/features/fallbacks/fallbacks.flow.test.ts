import { describe, expect, it } from 'vitest';
import { addOptOut, removeOptOut } from '../../../src/features/opt-outs/opt-outs.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { forEachTest, forSuite } from '../../support/for-suite.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { checkUntil, waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const [REFUSED, UNDELIVERED, DELIVERED, EXPIRED, READ, SILENT] = [
  '15005550001',
  '15005550002',
  '15005550111',
  '15005550009',
  '15005550006',
  '15005550005',
];
const FALLBACK = { channel: 'sms', from: 'Shop', message: 'By SMS' };
const UNKNOWN_TEMPLATE = {
  to: DELIVERED,
  message: undefined,
  template_id: 'unknown',
  template_data: { name: 'unknown', language: { code: 'en_US' } },
};

async function send(heliograph: TestApp, { account, phoneNumber }: TestChannel, body: object) {
  return heliograph.app.inject({
    method: 'POST',
    url: '/v2/send',
    headers: { ...account.headers, 'x-request-id': `request-${(body as { to?: string }).to ?? REFUSED}` },
    payload: {
      from: phoneNumber,
      channel: 'whatsapp',
      message: 'By WhatsApp',
      to: REFUSED,
      fallback: FALLBACK,
      ...body,
    },
  });
}

async function acceptMessage(heliograph: TestApp, channel: TestChannel, body: object = {}): Promise<string> {
  const response = await send(heliograph, channel, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data[0].message_id;
}

async function findView(heliograph: TestApp, { account }: TestChannel, id: string) {
  const response = await heliograph.app.inject({ url: `/v2/messages/${id}`, headers: account.headers });
  return response.json().data;
}

const waitForFallback = (heliograph: TestApp, channel: TestChannel, id: string, state: string) =>
  waitFor(`the fallback to be ${state}`, async () => {
    const view = await findView(heliograph, channel, id);
    return view.fallback.state === state && view;
  });

describeFeature('the fallback from WhatsApp to SMS', (backend) => {
  const clock = new ShiftedClock();
  const heliograph = suiteApp({ backend, clock });
  const channel = forEachTest(() => createTestChannel(heliograph.deps));
  const findSms = (accountId = channel.account.id) =>
    heliograph.deps.prisma.message.findMany({ where: { accountId, kind: 'sms' } });

  it.each([
    ['refused', REFUSED, 'failed', 0n],
    ['undelivered', UNDELIVERED, 'undelivered', 10_000n],
    ['expired', EXPIRED, 'expired', 10_000n],
  ])('the fallback sends and charges one linked SMS for a message that is %s', async (_, to, status, keptMicros) => {
    const id = await acceptMessage(heliograph, channel, { to, priority: 2, validity_period: 900 });
    const failedFallback = await waitForFallback(heliograph, channel, id, 'accepted');
    expect(failedFallback).toMatchObject({ status, fallback: { ...FALLBACK, error: null } });
    const smsId = failedFallback.fallback.message_id;
    const [sms, ...others] = await findSms();
    expect(others).toEqual([]);
    expect(sms?.requestId).toBe(`request-${to}`);
    expect(sms).toMatchObject({ id: smsId, sender: 'Shop', recipient: to, body: 'By SMS', priority: 2, surface: 'a' });
    expect(Number(sms?.validUntil) - Number(sms?.createdAt)).toBe(900_000);
    expect(await findView(heliograph, channel, smsId)).toMatchObject({
      channel: 'sms',
      fallback: null,
      fallback_of: id,
    });
    // The simulator treats the SMS like the WhatsApp message, and a rejected SMS is refunded.
    await waitForStatus(heliograph, [smsId], status);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(100_000_000n - 2n * keptMicros);
  });

  it('the fallback of a message with valid_until is valid for as long as the message was', async () => {
    const valid_until = new Date(heliograph.deps.clock.now().getTime() + 900_000).toISOString();
    const id = await acceptMessage(heliograph, channel, { to: REFUSED, valid_until });
    await waitForFallback(heliograph, channel, id, 'accepted');
    const [sms] = await findSms();
    const seconds = (Number(sms?.validUntil) - Number(sms?.createdAt)) / 1_000;
    // Some seconds of the message's validity may have passed before the request was read.
    expect(seconds).toBeLessThanOrEqual(900);
    expect(seconds).toBeGreaterThan(0);
  });

  it('the fallback sends one SMS for a message without any receipt an hour after its validity', async () => {
    const id = await acceptMessage(heliograph, channel, { to: SILENT, validity_period: 60 });
    await waitForStatus(heliograph, [id], 'sent');
    clock.advance(61 * 60_000);
    await checkUntil(heliograph, id, 'expired');
    const view = await waitForFallback(heliograph, channel, id, 'accepted');
    expect(view).toMatchObject({ status: 'expired', error: { code: 'NO_RECEIPT' }, refunded: false });
    expect(await findSms()).toHaveLength(1);
  });

  it('the fallback sends the SMS even if the account was deactivated after the message was accepted', async () => {
    const id = await acceptMessage(heliograph, channel, { to: SILENT, validity_period: 60 });
    await waitForStatus(heliograph, [id], 'sent');
    await heliograph.deps.prisma.account.update({ where: { id: channel.account.id }, data: { isActive: false } });
    clock.advance(61 * 60_000);
    await checkUntil(heliograph, id, 'expired');
    const sms = await waitFor('the SMS', async () => (await findSms())[0]);
    expect(sms).toMatchObject({ recipient: SILENT, sender: 'Shop' });
  });

  it('the fallback sends nothing for a canceled message', async () => {
    const scheduled_at = new Date(clock.now().getTime() + 60_000).toISOString();
    const id = await acceptMessage(heliograph, channel, { scheduled_at });
    const url = `/v2/messages/${id}/cancel`;
    const response = await heliograph.app.inject({ method: 'POST', url, headers: channel.account.headers });
    expect(response.json().data).toMatchObject({ status: 'canceled', fallback: { state: 'unused' } });
    expect(await heliograph.deps.prisma.fallback.count({ where: { messageId: id } })).toBe(0);
  });

  it('the fallback sends nothing for a delivered or read message', async () => {
    const ids = [
      await acceptMessage(heliograph, channel, { to: DELIVERED }),
      await acceptMessage(heliograph, channel, { to: READ }),
    ];
    const failingId = await acceptMessage(heliograph, channel);
    for (const id of ids) await waitForFallback(heliograph, channel, id, 'unused');
    await waitForFallback(heliograph, channel, failingId, 'accepted');
    expect((await findSms()).map(({ recipient }) => recipient)).toEqual([REFUSED]);
  });

  it("the fallback sends the message's own text if the fallback has none, and only to recipients who need it", async () => {
    const { message: _, ...fallback } = FALLBACK;
    await acceptMessage(heliograph, channel, { to: [DELIVERED, UNDELIVERED, REFUSED], fallback });
    await waitFor('two SMS', async () => (await findSms()).length === 2);
    expect((await findSms()).map(({ recipient, body }) => `${recipient} ${body}`).sort()).toEqual([
      `${REFUSED} By WhatsApp`,
      `${UNDELIVERED} By WhatsApp`,
    ]);
  });

  it('the fallback sends one SMS per message for more messages than one batch', async () => {
    const to = Array(250).fill(UNDELIVERED);
    await acceptMessage(heliograph, channel, { to });
    await waitFor('250 SMS', async () => (await findSms()).length >= 250);
    await waitFor('nothing to be due', async () => {
      const dueCount = await heliograph.deps.prisma.fallback.count({ where: { nextLook: { not: null } } });
      return dueCount === 0;
    });
    expect(await findSms()).toHaveLength(250);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(100_000_000n - 500n * 10_000n);
  });

  it('the fallback is refused with a reason when the balance is too low, and sent as far as the balance allows', async () => {
    const poor = await createTestChannel(heliograph.deps, undefined, { creditMicros: 30_000n });
    const response = await send(heliograph, poor, { to: [UNDELIVERED, UNDELIVERED] });
    const ids: string[] = response.json().data.map(({ message_id }: { message_id: string }) => message_id);
    const settledFallbacks = await waitFor('both to be settled', async () => {
      const messageViews = await Promise.all(ids.map((id) => findView(heliograph, poor, id)));
      const fallbacks = messageViews.map(({ fallback }) => fallback);
      return fallbacks.every(({ state }) => state === 'accepted' || state === 'refused') && fallbacks;
    });
    expect(settledFallbacks.map(({ state }) => state).sort()).toEqual(['accepted', 'refused']);
    expect(settledFallbacks.find(({ state }) => state === 'refused')).toMatchObject({
      message_id: null,
      error: { code: 'INSUFFICIENT_BALANCE', message: expect.stringContaining('balance') },
    });
    expect(await readBalance(heliograph.deps, poor.account.id)).toBe(0n);
  });

  it('the fallback is not sent to recipients who opted out of SMS from its sender or of WhatsApp', async () => {
    const { prisma } = heliograph.deps;
    const owner = { accountId: channel.account.id, phone: UNDELIVERED };
    const sender = { ...owner, kind: 'sms' as const, sender: '+1 500 555 0199' };
    await addOptOut(prisma, { ...sender, at: new Date() });
    const fallback = { ...FALLBACK, from: '15005550199' };
    const id = await acceptMessage(heliograph, channel, { to: UNDELIVERED, fallback });
    expect((await waitForFallback(heliograph, channel, id, 'refused')).fallback.error).toMatchObject({
      code: 'OPTED_OUT',
    });

    await addOptOut(prisma, { ...owner, kind: 'whatsapp', sender: channel.phoneNumber, at: new Date() });
    const blockedId = await acceptMessage(heliograph, channel, { to: UNDELIVERED });
    const view = await waitForFallback(heliograph, channel, blockedId, 'unused');
    expect(view).toMatchObject({ status: 'rejected', error: { code: 'OPTED_OUT' } });
    expect(await findSms()).toEqual([]);

    await removeOptOut(prisma, { ...sender, at: new Date() });
    await removeOptOut(prisma, { ...owner, kind: 'whatsapp', sender: channel.phoneNumber, at: new Date() });
    const allowedId = await acceptMessage(heliograph, channel, { to: UNDELIVERED, fallback });
    await waitForFallback(heliograph, channel, allowedId, 'accepted');
  });
});

describe('the fallback of a process that dies', () => {
  it("a dead process's fallback is sent by the next process if the commit is missing, and not repeated after the commit", async () => {
    const faults = new ControlledFaults();
    const heliograph = await testApp({ faults });
    try {
      const channel = await createTestChannel(heliograph.deps);
      faults.fail('fallback:before-commit', new Error('the connection was lost'), 3);
      const id = await acceptMessage(heliograph, channel);
      const { fallback } = await waitForFallback(heliograph, channel, id, 'accepted');
      expect(faults.count('fallback:before-commit')).toBeGreaterThan(3);
      await waitForStatus(heliograph, [fallback.message_id], 'failed');

      faults.fail('fallback:committed', new Error('the process is gone'));
      const otherId = await acceptMessage(heliograph, channel, { to: UNDELIVERED });
      const { fallback: second } = await waitForFallback(heliograph, channel, otherId, 'accepted');
      await heliograph.deps.pool.query("UPDATE messages SET next_look = now() - interval '1 second' WHERE id = $1", [
        second.message_id,
      ]);
      await waitForStatus(heliograph, [second.message_id], 'undelivered');
      expect(await heliograph.deps.prisma.message.count({ where: { kind: 'sms' } })).toBe(2);
    } finally {
      await heliograph.close();
    }
  });
});

describe('the fallback field of POST /v2/send', () => {
  const heliograph = suiteApp({ role: 'api' });
  const channel = forSuite(() => createTestChannel(heliograph.deps));

  const MEDIA = { message: undefined, media_url: 'https://example.com/a.png', template_data: { type: 'image' } };
  const BARE = { channel: 'sms', from: 'Shop' };

  it.each<[string, object, string, RegExp]>([
    ['an SMS', { channel: 'sms' }, 'fallback', /must not be sent with the channel sms/],
    ['an SMS without channel', { channel: undefined }, 'fallback', /must not be sent with the channel sms/],
    ['media without caption', { ...MEDIA, fallback: BARE }, 'fallback.message', /is required/],
    [
      'an unknown template',
      { message: undefined, template_id: 'x', fallback: BARE },
      'fallback.message',
      /is required/,
    ],
    ['an empty text', { ...MEDIA, fallback: { ...BARE, message: '' } }, 'fallback.message', /is required/],
    ['too long a text', { fallback: { ...BARE, message: 'x'.repeat(1601) } }, 'fallback.message', /longer than 1600/],
    ['too long a message', { message: 'x'.repeat(1601), fallback: BARE }, 'fallback.message', /longer than 1600/],
  ])('the field `fallback` is rejected with 400: %s', async (_, body, field, rule) => {
    const response = await send(heliograph, channel, body);
    expect(response.statusCode).toBe(400);
    expect(response.json().data.errors).toMatchObject([{ field, message: expect.stringMatching(rule) }]);
    expect(await heliograph.deps.prisma.message.count()).toBe(0);
  });

  it.each<[string, object]>([
    ['media with a text of its own', MEDIA],
    ['a caption', { ...MEDIA, message: 'Look', fallback: BARE }],
    ['a WhatsApp text that is too long for an SMS, with a shorter one', { message: 'x'.repeat(4096) }],
  ])('the field `fallback` is accepted with %s', async (_, body) => {
    const id = await acceptMessage(heliograph, channel, { ...body, to: DELIVERED });
    expect((await findView(heliograph, channel, id)).fallback).toMatchObject({ state: 'waiting', message_id: null });
    await heliograph.deps.pool.query('DELETE FROM messages');
  });
});

describe('a WhatsApp message in flight when its process was killed', () => {
  const api = suiteApp({ role: 'api' });

  it.each([
    ['is refunded, and its SMS charged, if it is then refused', FALLBACK, true, 10_000n],
    ['stays charged without a fallback, because the carrier may have accepted it', undefined, false, 10_000n],
  ])('a WhatsApp message in flight when its process was killed %s', async (_, fallback, refunded, charged) => {
    const channel = await createTestChannel(api.deps);
    const balanceBefore = await readBalance(api.deps, channel.account.id);
    const id = await acceptMessage(api, channel, { ...UNKNOWN_TEMPLATE, fallback });
    await claimMessages(api.deps.pool, [id], new Date());
    // Expires the dead process's lease, which would otherwise take 30 seconds.
    await api.deps.pool.query(
      "UPDATE messages SET lease_until = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      [id],
    );
    const otherWorker = await testApp({ role: 'worker', sharesWith: api });
    try {
      await waitForStatus(otherWorker, [id], 'failed');
      if (fallback) await waitForFallback(api, channel, id, 'accepted');
      expect(await findView(api, channel, id)).toMatchObject({ status: 'failed', attempts: 2, refunded });
      expect(balanceBefore - (await readBalance(api.deps, channel.account.id))).toBe(charged);
    } finally {
      await otherWorker.close();
    }
  });
});
