import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { InboundChannel } from '../../../src/carriers/inbound-message.js';
import { recordPeople } from '../../../src/features/contacts/identity/record-people.js';
import { receiveInbound } from '../../../src/features/inbound/receive.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';
import { testLog } from '../../support/logged-errors.js';
import { ManualClock } from '../../support/manual-clock.js';
import { atScale } from '../../support/run/extent.js';
import { type Ids, PeopleModel, type Report } from './people-model.js';

const store = suiteStore();
const clock = new ManualClock();
const HISTORIES = atScale({ full: 200, quick: 40 });

const optionalValue = (...values: string[]) => fc.option(fc.constantFrom(...values));
const ids: fc.Arbitrary<Ids> = fc
  .record({
    phone: optionalValue('15005550111', '15005550112'),
    userId: optionalValue('US.1', 'US.2', 'US.3'),
    parentUserId: optionalValue('US.ENT.1', 'US.ENT.2'),
  })
  .filter(({ phone, userId, parentUserId }) => phone !== null || userId !== null || parentUserId !== null);
const seconds = fc.integer({ min: 1, max: 40 });
const report: fc.Arbitrary<Report> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('message' as const),
      id: fc.nat(12),
      ids,
      text: fc.constantFrom('Hi' as const, 'Hi' as const, 'STOP' as const, 'START' as const),
      at: seconds,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      ids: ids.filter(({ phone, userId }) => phone !== null && userId !== null),
      at: seconds,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      before: ids.filter(({ phone, userId }) => phone !== null || userId !== null),
      ids: ids.filter(
        ({ phone, userId, parentUserId }) => (phone !== null || userId !== null) && parentUserId === null,
      ),
      at: seconds,
    }),
  },
);
/** Carriers may send a report twice and guarantee no order. */
const history = fc
  .array(report, { minLength: 2, maxLength: 14 })
  .chain((reports) => fc.tuple(fc.constant(reports), fc.array(fc.nat(reports.length - 1), { maxLength: 4 })))
  .map(([reports, repeatedIndexes]) => [...reports, ...repeatedIndexes.map((index) => reports[index] as Report)]);

async function play(channel: InboundChannel, { at: second, ...reportFields }: Report): Promise<void> {
  const options = { pool: store.pool, clock, log: testLog(), acceptor: null };
  const time = toTime(second);
  if (reportFields.kind === 'message') {
    const { phone: from, userId, parentUserId } = reportFields.ids;
    const sender = { from, ...(userId && { userId }), ...(parentUserId && { parentUserId }) };
    const message = { type: 'text', body: reportFields.text, payload: {}, receivedAt: time };
    await receiveInbound(options, channel, { carrierMessageId: `wamid.${reportFields.id}`, ...sender, ...message });
  } else {
    const previousIds = reportFields.kind === 'change' ? { before: reportFields.before } : {};
    await recordPeople(options, [{ channel, ...reportFields.ids, ...previousIds, at: time }]);
  }
}

const toTime = (second: number) => new Date(clock.now().getTime() - 100_000 + second * 1000);

async function readStored({ id }: InboundChannel) {
  const rows = await store.prisma.contact.findMany({
    where: { channelId: id },
    include: { conversation: { include: { inbound: true } } },
  });
  const { contactCount } = await store.prisma.channel.findUniqueOrThrow({ where: { id } });
  expect(contactCount).toBe(rows.length);
  const active = await store.prisma.optOut.findMany({ where: { sender: id, isActive: true } });
  const blockedAddresses = new Set(active.map(({ phone }) => phone));
  return rows.map(({ phone, userId, parentUserId, conversation }) => {
    const inbound = conversation?.inbound ?? [];
    expect(conversation?.unreadCount ?? 0).toBe(inbound.length);
    const lastInboundAt = conversation?.lastInboundAt;
    return {
      ...{ phone, userId, parentUserId },
      messages: inbound.map(({ carrierMessageId }) => Number(carrierMessageId.slice(6))).sort((a, b) => a - b),
      window: lastInboundAt ? (lastInboundAt.getTime() - toTime(0).getTime()) / 1000 : 0,
      optedOut: [phone, userId, parentUserId].some((address) => address !== null && blockedAddresses.has(address)),
    };
  });
}

const sortForComparison = (people: readonly object[]) => people.map((person) => JSON.stringify(person)).sort();

/** A number without a user ID appears with one user ID, and then with another user ID at the same time. */
const NUMBER_SEEN_WITH_AN_ID: readonly Report[] = [
  { kind: 'message', id: 0, ids: { phone: '15005550111', userId: null, parentUserId: null }, text: 'Hi', at: 1 },
  { kind: 'message', id: 2, ids: { phone: null, userId: 'US.3', parentUserId: null }, text: 'Hi', at: 1 },
  {
    kind: 'change',
    before: { phone: '15005550111', userId: null, parentUserId: null },
    ids: { phone: null, userId: 'US.1', parentUserId: null },
    at: 1,
  },
  { kind: 'message', id: 1, ids: { phone: '15005550111', userId: 'US.1', parentUserId: null }, text: 'Hi', at: 1 },
  {
    kind: 'change',
    before: { phone: null, userId: 'US.3', parentUserId: null },
    ids: { phone: '15005550111', userId: null, parentUserId: null },
    at: 1,
  },
];

it(`${HISTORIES} random histories of IDs, out of order and with duplicates, give the same contacts as a model`, async () => {
  await fc.assert(
    fc.asyncProperty(history, async (reports) => {
      const { channelId, account, phoneNumber } = await createTestChannel(store);
      const channel = { id: channelId, accountId: account.id, kind: 'whatsapp' as const, phoneNumber };
      const model = new PeopleModel();
      for (const report of reports) {
        model.apply(report);
        await play(channel, report);
      }
      expect(sortForComparison(await readStored(channel))).toEqual(sortForComparison(model.people));
    }),
    { numRuns: HISTORIES, examples: [[[...NUMBER_SEEN_WITH_AN_ID]]] },
  );
});
