import { describe, expect, it } from 'vitest';
import { SPANS } from '../../../src/accounts/guard/guard.js';
import type { GuardInput } from '../../../src/features/spending/guards.js';
import { newId } from '../../../src/platform/ids.js';
import { readBalance } from '../../support/accounts.js';
import { createAutomation, triggerAutomation } from '../../support/automations.js';
import { createCampaignChannel, createGroup } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildLimit, setTestGuard } from '../../support/guards.js';
import { ManualClock } from '../../support/manual-clock.js';
import { atScale } from '../../support/run/extent.js';
import {
  openSurface,
  SENDING_SURFACES,
  type SendingSurface,
  type SendResponse,
} from '../../support/sending-surfaces.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { readAccountState, sendV2 } from '../../surfaces/a/requests.js';

const clock = new ManualClock();
const heliograph = suiteApp({ clock });

const AT_ONCE = atScale({ full: 32, quick: 8 });
const createNumbers = (count: number, prefix = '1500555') =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(6000 + index)}`);

async function createGuardedChannel(
  surface: SendingSurface,
  guard: Partial<GuardInput>,
  isOfKey = false,
): Promise<TestChannel> {
  const channel = await createTestChannel(heliograph.deps);
  const accountId = channel.account.id;
  const app = { accountId, surface: 'a' as const };
  const keyId =
    surface.key === 'channel'
      ? channel.keyId
      : (await heliograph.deps.prisma.apiKey.findFirstOrThrow({ where: app })).id;
  await setTestGuard(heliograph.deps, accountId, guard, isOfKey ? keyId : null);
  return channel;
}

const getStatuses = ({ statuses }: SendingSurface) => ({ accepted: 200, destination: 403, held: 429, ...statuses });

async function sendConcurrently(
  surface: SendingSurface,
  send: (to: string) => Promise<SendResponse>,
  to: readonly string[],
) {
  const responses = await Promise.all(to.map(send));
  const { accepted } = getStatuses(surface);
  const refusals = responses.filter(({ statusCode }) => statusCode !== accepted);
  return { accepted: responses.length - refusals.length, refused: refusals };
}

const prices = new Map<SendingSurface, bigint>();
/** In millionths. */
async function findPrice(surface: SendingSurface): Promise<bigint> {
  const price = prices.get(surface) ?? (await tryPrice(surface));
  prices.set(surface, price);
  return price;
}

async function tryPrice(surface: SendingSurface): Promise<bigint> {
  const channel = await createTestChannel(heliograph.deps);
  const [to] = createNumbers(1) as [string];
  const send = await openSurface(surface, heliograph, channel, [to]);
  const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
  const response = await send(to);
  expect(response.statusCode, response.body).toBe(getStatuses(surface).accepted);
  return balanceBefore - (await readBalance(heliograph.deps, channel.account.id));
}

const formatUnits = (micros: bigint) => (Number(micros) / 1_000_000).toFixed(6);

/** One limit per surface, owner and scope. Together, the limits cover every measure and time span. */
const LIMITED = SENDING_SURFACES.flatMap((surface, index) =>
  (['account', 'key', 'recipient', 'sender'] as const)
    .filter((owner) => owner !== 'key' || surface.key !== null)
    .map((owner, scope) => ({
      surface,
      name: surface.name,
      owner,
      measure: (index + scope) % 2 === 0 ? ('messages' as const) : ('money' as const),
      span: SPANS[(index + 2 * scope) % 3] as (typeof SPANS)[number],
    })),
);

it('the surfaces together cover every limit of each measure and span', () => {
  const testedLimits = new Set(LIMITED.map(({ owner, measure, span }) => `${owner} ${measure} ${span}`));
  expect(testedLimits.size).toBe(4 * 2 * 3);
});

describe.each(LIMITED)('$name, with a limit of $measure each $span of the $owner', (limitCase) => {
  const { surface, owner, measure, span } = limitCase;

  it('exactly as many concurrent sends are accepted as the limit allows, and the refused one has no side effects', async () => {
    // Six concurrent verification codes would already reach the separate limit on codes.
    const max = surface.isCode && owner === 'recipient' ? 4 : AT_ONCE - 1;
    const price = await findPrice(surface);
    const scope = owner === 'recipient' || owner === 'sender' ? owner : 'total';
    const limitText = measure === 'messages' ? String(max) : formatUnits(price * BigInt(max));
    const channel = await createGuardedChannel(
      surface,
      { limits: [buildLimit(limitText, measure, span, scope)] },
      owner === 'key',
    );
    const to =
      owner === 'recipient' || surface.needsWindow ? Array(max + 1).fill(createNumbers(1)[0]) : createNumbers(max + 1);
    const send = await openSurface(surface, heliograph, channel, to);
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const { accepted, refused } = await sendConcurrently(surface, send, to);
    expect([accepted, ...refused.map(({ statusCode }) => statusCode)]).toEqual([max, 429]);
    const ownerName = owner === 'key' ? 'The key' : 'The account';
    const amount = measure === 'messages' ? `${max} messages` : '[0-9.]+ USD';
    const scopeText = { account: '', key: '', recipient: ' to one recipient .*', sender: ' from one sender ID .*' }[
      owner
    ];
    expect(refused[0]?.body).toMatch(
      new RegExp(
        `${ownerName} may send ${amount} each ${span}${scopeText}, and this would be more. The ${span} ends at `,
      ),
    );
    const { messages, balance } = await readAccountState(heliograph, channel.account);
    expect([messages, balanceBefore - balance]).toEqual([max, price * BigInt(max)]);
  });
});

const AMERICAN = createNumbers(1)[0] as string;
const DESTINATIONS = [
  {
    what: 'a country',
    guard: { allowed: ['US'] },
    to: '4915123456789',
    expectedMessage: 'is in DE, allowed: US',
    option: '--allow',
  },
  {
    what: 'a prefix',
    guard: { allowed: ['+1500'] },
    to: '12125551234',
    expectedMessage: 'is in US, allowed: +1500',
    option: '--allow',
  },
  { what: 'risky numbers', guard: {}, to: '449012345678', expectedMessage: '(risky numbers)', option: '--risky allow' },
];

describe.each(SENDING_SURFACES)('$name', (surface) => {
  it.each(DESTINATIONS)(
    'a guard rule about $what refuses a destination, names the allowed ones, and has no side effects',
    async ({ guard, to, expectedMessage, option }) => {
      const channel = await createGuardedChannel(surface, guard);
      const send = await openSurface(surface, heliograph, channel, [AMERICAN, to]);
      const stateBefore = await readAccountState(heliograph, channel.account);
      const { accepted, refused } = await sendConcurrently(
        surface,
        send,
        surface.isCode ? Array(5).fill(to) : Array(16).fill(to),
      );
      expect([accepted, new Set(refused.map(({ statusCode }) => statusCode))], refused[0]?.body).toEqual([
        0,
        new Set([getStatuses(surface).destination]),
      ]);
      expect(refused[0]?.body).toContain(expectedMessage);
      expect(refused[0]?.body).toContain('guard of the account');
      expect(refused[0]?.body).toContain(`heliograph guard set ${channel.account.id} ${option}, or in the console`);
      expect(await readAccountState(heliograph, channel.account)).toEqual(stateBefore);
      expect((await send(AMERICAN)).statusCode).toBe(getStatuses(surface).accepted);
    },
  );

  it("held numbers are refused, and messages beyond a country's hourly maximum", async () => {
    const channel = await createGuardedChannel(surface, { watch: { holdMinutes: 20, safe: [] } });
    const [heldSends] = createNumbers(1, '1500777') as [string];
    const to = surface.isCode ? createNumbers(AT_ONCE) : Array(AT_ONCE).fill(AMERICAN);
    const send = await openSurface(surface, heliograph, channel, [heldSends, ...to]);
    const heldUntil = new Date(clock.now().getTime() + 60_000);
    const hold = { accountId: channel.account.id, prefix: '1500777', reason: 'receipts', messages: 20 };
    await heliograph.deps.prisma.spendHold.create({
      data: { id: newId(), ...hold, heldAt: clock.now(), until: heldUntil },
    });
    const refusal = await send(heldSends);
    expect(refusal.statusCode, refusal.body).toBe(getStatuses(surface).held);
    expect(refusal.body).toContain('Messages to +1500777 are held until');
    // Any country may receive a hundred messages an hour, but codes to one number block are held earlier.
    if (surface.isCode) return;
    const otherNumbers = createNumbers(100 - AT_ONCE + 1, '1212555');
    expect(
      (await sendV2(heliograph.app, channel.account, { from: 'A', to: otherNumbers, channel: 'sms', message: 'Hi' }))
        .statusCode,
    ).toBe(200);
    const { accepted, refused } = await sendConcurrently(surface, send, to);
    expect([accepted, ...refused.map(({ statusCode }) => statusCode)]).toEqual([
      AT_ONCE - 1,
      getStatuses(surface).held,
    ]);
    expect(refused[0]?.body).toContain('Messages to +1 are held until');
    expect((await readAccountState(heliograph, channel.account)).messages).toBe(100);
    expect(
      await heliograph.deps.prisma.spendHold.count({ where: { accountId: channel.account.id, reason: 'country' } }),
    ).toBe(1);
  });
});

const TO_NEW = SENDING_SURFACES.filter(({ name }) => /messages\/template|the inbox|\/graph/.test(name));

it('the tests cover every way in which a new person becomes a contact', () => {
  expect(TO_NEW).toHaveLength(3);
});

describe.each(TO_NEW)('$name, to somebody new', (surface) => {
  it('as many contacts are created as concurrent sends are accepted at a limit, and none for held numbers', async () => {
    const maximum = 20;
    const guard = { limits: [buildLimit(String(maximum))], watch: { holdMinutes: 20, safe: [] } };
    const channel = await createGuardedChannel(surface, guard);
    const to = createNumbers(maximum + 12, '1500556');
    const send = await openSurface(surface, heliograph, channel, []);
    const { prisma } = heliograph.deps;
    const where = { accountId: channel.account.id };
    const countPeople = async () => [await prisma.contact.count({ where }), await prisma.conversation.count({ where })];
    const heldUntil = new Date(clock.now().getTime() + 60_000);
    const hold = { ...where, prefix: '1500777', reason: 'receipts', messages: 20 };
    await prisma.spendHold.create({ data: { id: newId(), ...hold, heldAt: clock.now(), until: heldUntil } });
    const heldSends = await sendConcurrently(surface, send, createNumbers(8, '1500777'));
    expect([heldSends.accepted, await countPeople()]).toEqual([0, [0, 0]]);
    const { accepted, refused } = await sendConcurrently(surface, send, to);
    expect([accepted, new Set(refused.map(({ statusCode }) => statusCode))]).toEqual([maximum, new Set([429])]);
    expect(await countPeople()).toEqual([maximum, maximum]);
    const unlinkedMessages = { ...where, OR: [{ contactId: null }, { conversationId: null }] };
    expect(await prisma.message.count({ where: unlinkedMessages })).toBe(0);
  });
});

it('concurrent automation runs send exactly as many messages as the limit allows; the others fail with a reason', async () => {
  const channel = await createCampaignChannel(heliograph.deps);
  const { contactIds } = await createGroup(heliograph.deps, channel, { size: AT_ONCE });
  await setTestGuard(heliograph.deps, channel.account.id, { limits: [buildLimit(String(AT_ONCE - 1))] });
  const steps = [{ type: 'send_template', templateName: 'hello', language: 'en_US' }];
  const automation = await createAutomation(heliograph, channel, steps);
  await Promise.all(contactIds.map((contactId) => triggerAutomation(heliograph, channel, automation, { contactId })));
  const runs = await waitFor('all runs to end', async () => {
    const rows = await heliograph.deps.prisma.automationRun.findMany({ where: { automationId: automation } });
    return rows.length === AT_ONCE && rows.every(({ completedAt }) => completedAt !== null) && rows;
  });
  const failedRuns = runs.filter(({ status }) => status === 'failed');
  const expectedMessage = expect.stringContaining(`The account may send ${AT_ONCE - 1} messages each day`);
  expect(failedRuns).toMatchObject([{ errorMessage: expectedMessage }]);
  expect((await readAccountState(heliograph, channel.account)).messages).toBe(AT_ONCE - 1);
});

it('fallbacks send exactly as many SMS as the limit allows', async () => {
  const channel = await createTestChannel(heliograph.deps);
  await setTestGuard(heliograph.deps, channel.account.id, { limits: [buildLimit(String(2 * AT_ONCE - 1))] });
  // The simulator rejects WhatsApp messages to 15005550001.
  const to = Array(AT_ONCE).fill('15005550001');
  const whatsapp = { from: channel.phoneNumber, to, channel: 'whatsapp', message: 'Hi' };
  const response = await sendV2(heliograph.app, channel.account, {
    ...whatsapp,
    fallback: { channel: 'sms', from: 'Shop' },
  });
  expect(response.statusCode, response.body).toBe(200);
  const ids = (response.json().data as { message_id: string }[]).map(({ message_id: id }) => id);
  const fallbacks = await waitFor('all fallbacks to be settled', async () => {
    const rows = await heliograph.deps.prisma.fallback.findMany({ where: { messageId: { in: ids } } });
    return rows.length === AT_ONCE && rows.every(({ nextLook }) => nextLook === null) && rows;
  });
  const withoutSms = fallbacks.filter(({ smsId }) => smsId === null);
  expect(withoutSms).toMatchObject([{ errorCode: 'LIMIT_REACHED' }]);
  expect((await readAccountState(heliograph, channel.account)).messages).toBe(2 * AT_ONCE - 1);
});
