import { describe, expect, it } from 'vitest';
import { SPANS } from '../../../src/accounts/guard/guard.js';
import type { WrittenGuard } from '../../../src/features/spending/guards.js';
import { newId } from '../../../src/platform/ids.js';
import { balanceOf } from '../../support/accounts.js';
import { createAutomation, trigger } from '../../support/automations.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { giveGuard, limit } from '../../support/guards.js';
import { ManualClock } from '../../support/manual-clock.js';
import { atScale } from '../../support/run/extent.js';
import { openSurface, SENDING_SURFACES, type SendAnswer, type SendingSurface } from '../../support/sending-surfaces.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { sendV2, stateOf } from '../../surfaces/a/requests.js';

const clock = new ManualClock();
const heliograph = suiteApp({ clock });

const AT_ONCE = atScale({ full: 32, quick: 8 });
/** The simulator delivers to all of them. */
const numbers = (count: number, prefix = '1500555') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(6000 + index)}`);

/** A channel whose account, or the key of a surface, has a guard. */
async function guarded(surface: SendingSurface, guard: Partial<WrittenGuard>, isOfKey = false): Promise<TestChannel> {
  const channel = await createTestChannel(heliograph.deps);
  const accountId = channel.account.id;
  const app = { accountId, surface: 'a' as const };
  const keyId =
    surface.key === 'channel'
      ? channel.keyId
      : (await heliograph.deps.prisma.apiKey.findFirstOrThrow({ where: app })).id;
  await giveGuard(heliograph.deps, accountId, guard, isOfKey ? keyId : null);
  return channel;
}

const statusesOf = ({ statuses }: SendingSurface) => ({ accepted: 200, destination: 403, held: 429, ...statuses });

/** Sends to all at once; gives what was accepted, and the refusals. */
async function atOnce(surface: SendingSurface, send: (to: string) => Promise<SendAnswer>, to: readonly string[]) {
  const answers = await Promise.all(to.map(send));
  const { accepted } = statusesOf(surface);
  const refused = answers.filter(({ statusCode }) => statusCode !== accepted);
  return { accepted: answers.length - refused.length, refused };
}

const prices = new Map<SendingSurface, bigint>();
/** What one message by a surface costs, in millionths. */
async function priceOf(surface: SendingSurface): Promise<bigint> {
  const price = prices.get(surface) ?? (await tryPrice(surface));
  prices.set(surface, price);
  return price;
}

async function tryPrice(surface: SendingSurface): Promise<bigint> {
  const channel = await createTestChannel(heliograph.deps);
  const [to] = numbers(1) as [string];
  const send = await openSurface(surface, heliograph, channel, [to]);
  const before = await balanceOf(heliograph.deps, channel.account.id);
  const answer = await send(to);
  expect(answer.statusCode, answer.body).toBe(statusesOf(surface).accepted);
  return before - (await balanceOf(heliograph.deps, channel.account.id));
}

const units = (micros: bigint) => (Number(micros) / 1_000_000).toFixed(6);

/** Which limits a surface is tried with: of each owner and scope one; over all surfaces each measure and span of them. */
const LIMITED = SENDING_SURFACES.flatMap((surface, index) =>
  (['account', 'key', 'recipient', 'sender'] as const)
    .filter((whose) => whose !== 'key' || surface.key !== null)
    .map((whose, scope) => ({
      surface,
      name: surface.name,
      whose,
      measure: (index + scope) % 2 === 0 ? ('messages' as const) : ('money' as const),
      span: SPANS[(index + 2 * scope) % 3] as (typeof SPANS)[number],
    })),
);

it('tries each limit of each measure and span with some surface', () => {
  const tried = new Set(LIMITED.map(({ whose, measure, span }) => `${whose} ${measure} ${span}`));
  expect(tried.size).toBe(4 * 2 * 3);
});

describe.each(LIMITED)('$name, with a limit of $measure each $span of the $whose', (each) => {
  const { surface, whose, measure, span } = each;

  it('passes exactly what the limit says of one more at once, and neither queues nor charges the one', async () => {
    // Six codes at once would meet the limit of codes.
    const most = surface.isCode && whose === 'recipient' ? 4 : AT_ONCE - 1;
    const price = await priceOf(surface);
    const scope = whose === 'recipient' || whose === 'sender' ? whose : 'total';
    const said = measure === 'messages' ? String(most) : units(price * BigInt(most));
    const channel = await guarded(surface, { limits: [limit(said, measure, span, scope)] }, whose === 'key');
    const to = whose === 'recipient' || surface.needsWindow ? Array(most + 1).fill(numbers(1)[0]) : numbers(most + 1);
    const send = await openSurface(surface, heliograph, channel, to);
    const before = await balanceOf(heliograph.deps, channel.account.id);
    const { accepted, refused } = await atOnce(surface, send, to);
    expect([accepted, ...refused.map(({ statusCode }) => statusCode)]).toEqual([most, 429]);
    const owner = whose === 'key' ? 'The key' : 'The account';
    const amount = measure === 'messages' ? `${most} messages` : '[0-9.]+ USD';
    const whom = { account: '', key: '', recipient: ' to one recipient .*', sender: ' from one sender ID .*' }[whose];
    expect(refused[0]?.body).toMatch(
      new RegExp(`${owner} may send ${amount} each ${span}${whom}, and this would be more. It ends at `),
    );
    const { messages, balance } = await stateOf(heliograph, channel.account);
    expect([messages, before - balance]).toEqual([most, price * BigInt(most)]);
  });
});

const AMERICAN = numbers(1)[0] as string;
/** A guard, to whom it refuses to send, and how it says so. */
const DESTINATIONS = [
  {
    what: 'a country',
    guard: { allowed: ['US'] },
    to: '4915123456789',
    says: 'is in DE, allowed is US',
    option: '--allow',
  },
  {
    what: 'a prefix',
    guard: { allowed: ['+1500'] },
    to: '12125551234',
    says: 'is in US, allowed is +1500',
    option: '--allow',
  },
  { what: 'risky numbers', guard: {}, to: '449012345678', says: '(risky numbers)', option: '--risky allow' },
];

describe.each(SENDING_SURFACES)('$name', (surface) => {
  it.each(DESTINATIONS)(
    'refuses $what, says where it is allowed, and leaves nothing of it',
    async ({ guard, to, says, option }) => {
      const channel = await guarded(surface, guard);
      const send = await openSurface(surface, heliograph, channel, [AMERICAN, to]);
      const before = await stateOf(heliograph, channel.account);
      const { accepted, refused } = await atOnce(
        surface,
        send,
        surface.isCode ? Array(5).fill(to) : Array(16).fill(to),
      );
      expect([accepted, new Set(refused.map(({ statusCode }) => statusCode))], refused[0]?.body).toEqual([
        0,
        new Set([statusesOf(surface).destination]),
      ]);
      expect(refused[0]?.body).toContain(says);
      expect(refused[0]?.body).toContain('guard of the account');
      expect(refused[0]?.body).toContain(`heliograph guard set ${channel.account.id} ${option}, or in the console`);
      expect(await stateOf(heliograph, channel.account)).toEqual(before);
      expect((await send(AMERICAN)).statusCode).toBe(statusesOf(surface).accepted);
    },
  );

  it('refuses what is held, and the message beyond what a country gets in an hour', async () => {
    const channel = await guarded(surface, { watch: { holdMinutes: 20, safe: [] } });
    const [held] = numbers(1, '1500777') as [string];
    const to = surface.isCode ? numbers(AT_ONCE) : Array(AT_ONCE).fill(AMERICAN);
    const send = await openSurface(surface, heliograph, channel, [held, ...to]);
    const until = new Date(clock.now().getTime() + 60_000);
    const hold = { accountId: channel.account.id, prefix: '1500777', reason: 'receipts', messages: 20 };
    await heliograph.deps.prisma.spendHold.create({ data: { id: newId(), ...hold, heldAt: clock.now(), until } });
    const refusal = await send(held);
    expect(refusal.statusCode, refusal.body).toBe(statusesOf(surface).held);
    expect(refusal.body).toContain('Messages to +1500777 are held until');
    // A hundred in an hour go to any country; codes of one block are held before.
    if (surface.isCode) return;
    const others = numbers(100 - AT_ONCE + 1, '1212555');
    expect(
      (await sendV2(heliograph.app, channel.account, { from: 'A', to: others, channel: 'sms', message: 'Hi' }))
        .statusCode,
    ).toBe(200);
    const { accepted, refused } = await atOnce(surface, send, to);
    expect([accepted, ...refused.map(({ statusCode }) => statusCode)]).toEqual([AT_ONCE - 1, statusesOf(surface).held]);
    expect(refused[0]?.body).toContain('Messages to +1 are held until');
    expect((await stateOf(heliograph, channel.account)).messages).toBe(100);
    expect(
      await heliograph.deps.prisma.spendHold.count({ where: { accountId: channel.account.id, reason: 'country' } }),
    ).toBe(1);
  });
});

const TO_NEW = SENDING_SURFACES.filter(({ name }) => /messages\/template|the inbox|\/graph/.test(name));

it('tries every way by which somebody new becomes a contact', () => {
  expect(TO_NEW).toHaveLength(3);
});

describe.each(TO_NEW)('$name, to somebody new', (surface) => {
  it('makes as many contacts of many at once as are accepted at a limit, and none of what is held', async () => {
    const most = 20;
    const guard = { limits: [limit(String(most))], watch: { holdMinutes: 20, safe: [] } };
    const channel = await guarded(surface, guard);
    const to = numbers(most + 12, '1500556');
    const send = await openSurface(surface, heliograph, channel, []);
    const { prisma } = heliograph.deps;
    const where = { accountId: channel.account.id };
    const counts = async () => [await prisma.contact.count({ where }), await prisma.conversation.count({ where })];
    const until = new Date(clock.now().getTime() + 60_000);
    const hold = { ...where, prefix: '1500777', reason: 'receipts', messages: 20 };
    await prisma.spendHold.create({ data: { id: newId(), ...hold, heldAt: clock.now(), until } });
    const held = await atOnce(surface, send, numbers(8, '1500777'));
    expect([held.accepted, await counts()]).toEqual([0, [0, 0]]);
    const { accepted, refused } = await atOnce(surface, send, to);
    expect([accepted, new Set(refused.map(({ statusCode }) => statusCode))]).toEqual([most, new Set([429])]);
    expect(await counts()).toEqual([most, most]);
    // The messages are part of their conversations.
    const loose = { ...where, OR: [{ contactId: null }, { conversationId: null }] };
    expect(await prisma.message.count({ where: loose })).toBe(0);
  });
});

it('sends of many runs of an automation exactly as many as the limit says; the others fail, and say why', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  const { contactIds } = await createGroup(heliograph.deps, channel, { size: AT_ONCE });
  await giveGuard(heliograph.deps, channel.account.id, { limits: [limit(String(AT_ONCE - 1))] });
  const steps = [{ type: 'send_template', templateName: 'hello', language: 'en_US' }];
  const automation = await createAutomation(heliograph, channel, steps);
  await Promise.all(contactIds.map((contactId) => trigger(heliograph, channel, automation, { contactId })));
  const runs = await waitFor('all runs to end', async () => {
    const found = await heliograph.deps.prisma.automationRun.findMany({ where: { automationId: automation } });
    return found.length === AT_ONCE && found.every(({ completedAt }) => completedAt !== null) && found;
  });
  const failed = runs.filter(({ status }) => status === 'failed');
  const says = expect.stringContaining(`The account may send ${AT_ONCE - 1} messages each day`);
  expect(failed).toMatchObject([{ errorMessage: says }]);
  expect((await stateOf(heliograph, channel.account)).messages).toBe(AT_ONCE - 1);
});

it('makes exactly as many SMS of fallbacks as the limit says', async () => {
  const channel = await createTestChannel(heliograph.deps);
  await giveGuard(heliograph.deps, channel.account.id, { limits: [limit(String(2 * AT_ONCE - 1))] });
  // WhatsApp of the simulator refuses the number.
  const to = Array(AT_ONCE).fill('15005550001');
  const whatsapp = { from: channel.phoneNumber, to, channel: 'whatsapp', message: 'Hi' };
  const sent = await sendV2(heliograph.app, channel.account, {
    ...whatsapp,
    fallback: { channel: 'sms', from: 'Shop' },
  });
  expect(sent.statusCode, sent.body).toBe(200);
  const ids = (sent.json().data as { message_id: string }[]).map(({ message_id: id }) => id);
  const fallbacks = await waitFor('all fallbacks to be settled', async () => {
    const found = await heliograph.deps.prisma.fallback.findMany({ where: { messageId: { in: ids } } });
    return found.length === AT_ONCE && found.every(({ nextLook }) => nextLook === null) && found;
  });
  const refused = fallbacks.filter(({ smsId }) => smsId === null);
  expect(refused).toMatchObject([{ errorCode: 'LIMIT_REACHED' }]);
  expect((await stateOf(heliograph, channel.account)).messages).toBe(2 * AT_ONCE - 1);
});
