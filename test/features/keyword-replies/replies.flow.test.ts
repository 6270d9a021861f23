import { beforeEach, expect, it } from 'vitest';
import { setAccountActive } from '../../../src/accounts/account-settings.js';
import { receiveInbound } from '../../../src/features/inbound/receive.js';
import { setOptOutWord } from '../../../src/features/opt-outs/opt-outs.js';
import { setQuietHours } from '../../../src/messages/quiet-hours/settings.js';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { createAutomation } from '../../support/automations.js';
import { describeFeature } from '../../support/backends.js';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildLimit, setTestGuard } from '../../support/guards.js';
import { listReplies, listResults, setChannelReplies, turnRepliesOn } from '../../support/keyword-replies.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { waitForStatus } from '../../support/messages.js';
import { suiteApp } from '../../support/suite.js';

const PHONE = '15005550111';
const FULL = 100_000_000n;
const MINUTE_MS = 60_000;

describeFeature('replies to STOP, START and HELP', (backend) => {
  const clock = new ShiftedClock();
  const heliograph = suiteApp({ backend, clock });
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
  const toChannel = ({ channelId: id, account, phoneNumber }: TestChannel, kind: 'sms' | 'whatsapp') => ({
    id,
    accountId: account.id,
    kind,
    phoneNumber,
  });
  const report = (body: string, overrides: object = {}) => ({
    ...{ carrierMessageId: newId(), from: PHONE, type: 'text', body, payload: { body }, receivedAt: clock.now() },
    ...overrides,
  });
  const isOptedOut = async (phone = PHONE) =>
    (await heliograph.deps.prisma.optOut.count({ where: { accountId: sms.account.id, phone, isActive: true } })) > 0;
  const listTexts = async () => (await listReplies(heliograph, sms)).map(({ body }) => body);
  const listCodes = async (channel = sms) => (await listResults(heliograph, channel)).map((result) => result?.code);

  it('an account without the setting gets no reply and no result', async () => {
    await receive('STOP');
    await receive('HELP');
    expect(await isOptedOut()).toBe(true);
    expect(await listTexts()).toEqual([]);
    expect(await listResults(heliograph, sms)).toEqual([null, null]);
  });

  it('replies leave in quiet hours', async () => {
    await turnRepliesOn(heliograph, sms);
    const closedDates = [-1, 0, 1].map((days) =>
      new Date(clock.now().getTime() + days * 24 * 60 * MINUTE_MS).toISOString().slice(0, 10),
    );
    const rules = [
      { name: 'closed', countries: [], windows: [{ days: [1], from: 0, to: 1440 }], closedDates } as const,
    ];
    await setQuietHours(heliograph.deps.prisma, sms.account.id, { presets: [], rules, includesTransactional: true });
    await heliograph.deps.quietAccounts.reload();
    for (const keyword of ['HELP', 'STOP', 'START']) await receive(keyword);
    const replies = await listReplies(heliograph, sms);
    expect(replies).toHaveLength(3);
    const ids = replies.map(({ id }) => id);
    await waitForStatus(heliograph, ids, 'delivered');
    expect(await heliograph.deps.prisma.messageHold.count({ where: { messageId: { in: ids } } })).toBe(0);
  });

  it('the reply to STOP is delivered to the person who opted out, charged, and part of the conversation', async () => {
    await turnRepliesOn(heliograph, sms);
    await receive('Stop!');
    const [reply, ...others] = await listReplies(heliograph, sms);
    expect(others).toEqual([]);
    await waitForStatus(heliograph, [reply?.id as string], 'delivered');
    expect(await isOptedOut()).toBe(true);
    expect(await readBalance(heliograph.deps, sms.account.id)).toBe(FULL - 10_000n);
    const { conversationId } = await heliograph.deps.prisma.inboundMessage.findFirstOrThrow({
      where: { channelId: sms.channelId },
    });
    expect(reply).toMatchObject({
      ...{ recipient: PHONE, sender: sms.phoneNumber, channelId: sms.channelId, surface: 'b', conversationId },
      body: 'Acme: You are unsubscribed and will receive no more messages. Help: help@acme.example. Reply START to resubscribe.',
    });
    expect(await listResults(heliograph, sms)).toEqual([
      { keyword: 'stop', messageId: reply?.id, code: null, reason: null },
    ]);
  });

  it('START, HELP and own words get the text of the account or channel', async () => {
    const { prisma } = heliograph.deps;
    await turnRepliesOn(heliograph, sms, { language: 'de', texts: { help: 'Acme: call 1500. STOP to end.' } });
    await setChannelReplies(heliograph, whatsapp, { language: 'en', texts: { start: 'Acme: welcome back.' } });
    await setOptOutWord(prisma, { accountId: sms.account.id, word: 'basta', meaning: 'stop' });
    await receive('Basta');
    await receive('help');
    await receive('start', whatsapp);
    expect(await listTexts()).toEqual([
      expect.stringMatching(/^Acme: Sie sind abgemeldet/),
      'Acme: call 1500. STOP to end.',
      'Acme: welcome back.',
    ]);
  });

  it('only channels with replies reply, and a carrier that replies itself turns them off', async () => {
    await turnRepliesOn(heliograph, sms);
    await setChannelReplies(heliograph, whatsapp, { isOn: false });
    await receive('STOP', whatsapp);
    const { prisma } = heliograph.deps;
    const name = `twilio-${newId().slice(-12)}`;
    const settings = { preset: 'twilio' };
    await prisma.carrier.create({ data: { id: newId(), name, type: 'http', settings, isActive: false } });
    await prisma.channel.update({ where: { id: sms.channelId }, data: { carrier: name } });
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), report('STOP'));
    expect(await listTexts()).toEqual([]);
    await setChannelReplies(heliograph, sms, { isOn: true });
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), report('HELP'));
    expect(await listTexts()).toHaveLength(1);
  });

  it('five concurrent STOPs of one number get one reply, and STOPs of five numbers get five', async () => {
    await turnRepliesOn(heliograph, sms);
    await Promise.all(Array.from({ length: 5 }, () => receive('STOP')));
    expect(await listTexts()).toHaveLength(1);
    expect((await listCodes()).filter((code) => code === 'REPEATED')).toHaveLength(4);
    const phones = ['15005550112', '15005550113', '15005550114', '15005550115', '15005550116'];
    await Promise.all(phones.map((from) => receive('STOP', sms, { from })));
    for (const phone of phones) expect(await listReplies(heliograph, sms, phone)).toHaveLength(1);
  });

  it('a keyword gets a second reply after ten minutes, and another keyword at once', async () => {
    await turnRepliesOn(heliograph, sms);
    await receive('STOP');
    await receive('UNSUBSCRIBE');
    await receive('HELP');
    clock.advance(9 * MINUTE_MS);
    await receive('STOP');
    expect(await listCodes()).toEqual([null, 'REPEATED', null, 'REPEATED']);
    clock.advance(2 * MINUTE_MS);
    await receive('STOP');
    expect((await listCodes()).at(-1)).toBeNull();
  });

  it('a report that the carrier repeats gets no second reply', async () => {
    await turnRepliesOn(heliograph, sms);
    const repeated = report('STOP');
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), repeated);
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), repeated);
    expect(await listTexts()).toHaveLength(1);
  });

  it.each([
    [
      'INSUFFICIENT_BALANCE',
      () => heliograph.deps.prisma.account.update({ where: { id: sms.account.id }, data: { balanceMicros: 0n } }),
    ],
    ['DESTINATION_REFUSED', () => setTestGuard(heliograph.deps, sms.account.id, { allowed: ['DE'] })],
    ['LIMIT_REACHED', () => setTestGuard(heliograph.deps, sms.account.id, { limits: [buildLimit('0')] })],
    ['ACCOUNT_INACTIVE', () => setAccountActive(heliograph.deps.prisma, sms.account.id, false)],
    [
      'CHANNEL_INACTIVE',
      () => heliograph.deps.prisma.channel.update({ where: { id: sms.channelId }, data: { isActive: false } }),
    ],
  ])('without a possible reply (%s), the opt-out still counts and the reason is recorded', async (code, prevent) => {
    await turnRepliesOn(heliograph, sms);
    await prevent();
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), report('STOP'));
    expect(await listTexts()).toEqual([]);
    expect(await isOptedOut()).toBe(true);
    expect(await listResults(heliograph, sms)).toEqual([
      { keyword: 'stop', messageId: null, code, reason: expect.any(String) },
    ]);
    expect(
      await heliograph.deps.prisma.ledgerEntry.count({ where: { accountId: sms.account.id, kind: 'charge' } }),
    ).toBe(0);
  });

  it('a sender that cannot receive messages, such as a short code or the channel itself, gets no reply', async () => {
    await turnRepliesOn(heliograph, sms);
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), report('STOP', { from: '12345' }));
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), report('STOP', { from: sms.phoneNumber }));
    expect(await listCodes()).toEqual(['UNROUTABLE', 'UNROUTABLE']);
    expect(await isOptedOut('12345')).toBe(true);
  });

  it('an opt-out commits without a reply while another transaction has locked the account', async () => {
    await turnRepliesOn(heliograph, sms);
    const holder = await heliograph.deps.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [sms.account.id]);
      await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), report('STOP'));
    } finally {
      // Closing the connection also ends its transaction.
      holder.release(true);
    }
    expect(await isOptedOut()).toBe(true);
    expect(await listCodes()).toEqual(['UNAVAILABLE']);
  });

  it('on WhatsApp, a keyword that arrives more than 24 hours late gets no reply', async () => {
    await turnRepliesOn(heliograph, whatsapp);
    const hoursAgo = (hours: number) => new Date(clock.now().getTime() - hours * 60 * MINUTE_MS);
    const receiveLate = (body: string, hours: number) =>
      receiveInbound(heliograph.deps, toChannel(whatsapp, 'whatsapp'), report(body, { receivedAt: hoursAgo(hours) }));
    await receiveLate('STOP', 25);
    expect(await isOptedOut()).toBe(true);
    await receiveLate('STOP', 23);
    expect(await listCodes(whatsapp)).toEqual(['WINDOW_EXPIRED', null]);
    expect(await listReplies(heliograph, whatsapp)).toMatchObject([{ kind: 'whatsapp', content: null }]);
  });

  it('a keyword gets no reply if a later decision was already stored', async () => {
    await turnRepliesOn(heliograph, sms);
    const earlier = new Date(clock.now().getTime() - MINUTE_MS);
    await receive('START');
    await receiveInbound(heliograph.deps, toChannel(sms, 'sms'), report('STOP', { receivedAt: earlier }));
    expect(await listCodes()).toEqual([null, 'SUPERSEDED']);
    expect(await isOptedOut()).toBe(false);
  });

  it('imported messages and a tapped button "Help" get no reply', async () => {
    await turnRepliesOn(heliograph, whatsapp);
    const channel = toChannel(whatsapp, 'whatsapp');
    await receiveInbound(heliograph.deps, channel, report('STOP', { isPast: true }));
    await receiveInbound(heliograph.deps, channel, report('Help', { type: 'button' }));
    expect(await listResults(heliograph, whatsapp)).toEqual([null, null]);
  });

  it('an automation with the keyword HELP answers instead', async () => {
    await turnRepliesOn(heliograph, whatsapp);
    const steps = [{ type: 'send_reply', message: 'How can I help?' }];
    await createAutomation(heliograph, whatsapp, steps, { keyword: 'help' });
    await receive('HELP', whatsapp);
    await receive('HELP', whatsapp);
    expect(await listResults(heliograph, whatsapp)).toEqual([null, null]);
  });

  it('only the replies to STOP and HELP ignore an opt-out', async () => {
    await turnRepliesOn(heliograph, sms);
    await receive('START');
    await receive('STOP');
    await receive('HELP');
    const replies = await listReplies(heliograph, sms);
    expect(replies.map(({ ignoresOptOut }) => ignoresOptOut)).toEqual([null, true, true]);
  });

  it('two servers that take each other’s replies for keywords stop after a few messages', async () => {
    const { prisma } = heliograph.deps;
    const ours = sms;
    const theirs = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    const [stopOfOurs, stopOfTheirs] = ['acme says goodbye', 'shop says goodbye'];
    await turnRepliesOn(heliograph, ours, { texts: { stop: stopOfOurs } });
    await turnRepliesOn(heliograph, theirs, { texts: { stop: stopOfTheirs } });
    await setOptOutWord(prisma, { accountId: ours.account.id, word: stopOfTheirs, meaning: 'stop' });
    await setOptOutWord(prisma, { accountId: theirs.account.id, word: stopOfOurs, meaning: 'stop' });
    let [sender, receiver, body, replies] = [theirs, ours, 'STOP', 0];
    for (;;) {
      const from = sender.phoneNumber;
      await receiveInbound(heliograph.deps, toChannel(receiver, 'sms'), report(body, { from }));
      const sent = await listReplies(heliograph, receiver, from);
      const reply = sent[Math.floor(replies / 2)];
      if (!reply) break;
      replies += 1;
      [sender, receiver, body] = [receiver, sender, reply.body];
    }
    expect(replies).toBe(2);
  });
});
