import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { loadCountryDirectory } from '../../../src/carriers/numbers/country-patterns.js';
import { loadDestinationFinder } from '../../../src/carriers/numbers/destinations.js';
import { createAudience } from '../../../src/features/audiences/audiences.js';
import type { Condition } from '../../../src/features/audiences/condition.js';
import { buildMembersSql } from '../../../src/features/audiences/contact-filter.js';
import { previewCondition } from '../../../src/features/audiences/preview.js';
import { createField } from '../../../src/features/contacts/custom/fields.js';
import { createGroup } from '../../../src/features/contacts/groups/groups.js';
import { setOptedOut } from '../../../src/features/opt-outs/opt-out-store.js';
import { deriveId, newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';
import { atScale } from '../../support/run/extent.js';
import {
  COUNTRIES,
  conditionArbitrary,
  contactArbitrary,
  FIELDS,
  type ModelContact,
  meets,
  NOW,
  type World,
} from './audience-model.js';

const store = suiteStore();
const CONTACTS = 150;
const CONDITIONS = atScale({ full: 400, quick: 60 });
const contacts = fc.sample(contactArbitrary, CONTACTS).map((contact, index) => ({ ...contact, id: newId(), index }));

let channel: TestChannel;
let world: World;

/** Limits below the real ones, so that the samples and the index are used. */
const LIMITS = { maxReadCompletely: 0, maxCollected: 40_000, sampleRows: 100_000, countMs: 60_000, examplesMs: 60_000 };

beforeAll(async () => {
  channel = await createTestChannel(store);
  const scope = { accountId: channel.account.id, channelId: channel.channelId };
  for (const field of FIELDS) await createField(store, scope.accountId, field, NOW);
  const groups: string[] = [];
  for (const name of ['First', 'Second'])
    groups.push((await createGroup(store, { ...scope, name, description: '', at: NOW })).id);
  const createdAt = new Date(NOW.getTime() - 20 * 24 * 60 * 60 * 1000);
  const campaigns = ['first', 'second'].map((name) => deriveId(createdAt, `${name} ${channel.channelId}`));
  world = { groups, campaigns, findDestination: await loadDestinationFinder() };
  await store.prisma.campaign.createMany({
    data: campaigns.map((id) => ({
      ...{ id, ...scope, name: 'Test', groupId: groups[0] as string, status: 'completed' as const },
      ...{ templateName: 'hello', language: 'en_US', components: [], createdAt },
    })),
  });
  const sibling = await createTestChannel(store, channel.account);
  await insertContacts(scope, contacts);
  await insertContacts(
    { ...scope, channelId: sibling.channelId },
    contacts.slice(0, 20).map((contact) => ({ ...contact, id: newId() })),
  );
  await store.pool.query('ANALYZE contacts, conversations');
});

type StoredContact = ModelContact & { id: string; index: number };

async function insertContacts(scope: { accountId: string; channelId: string }, rows: readonly StoredContact[]) {
  const { prisma } = store;
  await prisma.contact.createMany({
    data: rows.map(({ id, index, number, userCountry, name, email, firstName, fields, tags, createdAt }) => ({
      ...{ id, ...scope, name, email, firstName, createdAt },
      phone: number === null ? null : `${number}${100 + index}`,
      userId: number === null ? `${userCountry}.${index}` : null,
      ...(tags.length > 0 && { tags: [...tags].sort() }),
      ...(Object.keys(fields).length > 0 && { fields }),
    })),
  });
  // Prisma stores an empty list for contacts without tags.
  await store.pool.query("UPDATE contacts SET tags = NULL WHERE tags = '{}'");
  await prisma.channel.update({ where: { id: scope.channelId }, data: { contactCount: rows.length } });
  for (const contact of rows) await insertHistory(scope, contact);
}

async function insertHistory(scope: { accountId: string; channelId: string }, contact: StoredContact): Promise<void> {
  const { prisma } = store;
  const { id: contactId, inbound, outbound, optedOut, groups, number, userCountry, index, isRecorded } = contact;
  const address = number === null ? `${userCountry}.${index}` : `${number}${100 + index}`;
  if (optedOut) {
    const decision = { channelId: scope.channelId, addresses: [address], at: NOW };
    await inTransaction(store.pool, (client) => setOptedOut(client, true, decision));
  }
  const memberships = groups.map((group) => ({ groupId: world.groups[group] as string, contactId }));
  await prisma.groupMember.createMany({ data: memberships });
  if (inbound.length + outbound.length === 0) return;
  const conversationId = newId();
  const maximum = (times: Date[]) => (times.length === 0 ? null : new Date(Math.max(...times.map(Number))));
  const sentAt = outbound.map(({ createdAt }) => createdAt);
  await prisma.conversation.create({
    data: {
      ...{ id: conversationId, ...scope, contactId, lastInboundAt: maximum(inbound), createdAt: contact.createdAt },
      ...{
        lastMessageAt: maximum([...inbound, ...sentAt]) as Date,
        lastOutboundAt: isRecorded ? maximum(sentAt) : null,
      },
    },
  });
  await prisma.message.createMany({
    data: outbound.map(({ campaign, status, createdAt }, position) => ({
      ...{
        id: deriveId(createdAt, `${contactId} ${position}`),
        ...scope,
        contactId,
        conversationId,
        status,
        createdAt,
      },
      campaignId: campaign === null ? null : (world.campaigns[campaign] as string),
      ...{ validUntil: NOW, priceMicros: 0n, surface: 'b' as const, kind: 'whatsapp' as const, priority: 0, parts: 1 },
      ...{ carrier: 'simulator', sender: channel.phoneNumber, recipient: address, body: 'Hi' },
    })),
  });
  await prisma.link.createMany({
    data: outbound.flatMap(({ createdAt, clickedBy }, position) => {
      if (clickedBy === null) return [];
      const firstClickedAt = clickedBy === 'person' ? createdAt : null;
      return {
        ...{ code: newId(), messageId: deriveId(createdAt, `${contactId} ${position}`), ...scope },
        ...{ target: 'http://127.0.0.1/', botClicks: clickedBy === 'bot' ? 1 : 0, firstClickedAt },
      };
    }),
  });
  await prisma.inboundMessage.createMany({
    data: inbound.map((receivedAt, position) => ({
      ...{ id: newId(), ...scope, conversationId, carrierMessageId: `${contactId} ${position}` },
      ...{ type: 'text', body: 'Hi', payload: {}, receivedAt },
    })),
  });
}

function findExpected(condition: Condition): string[] {
  return contacts
    .filter((contact) => meets(contact, condition, world))
    .map(({ id }) => id)
    .sort();
}

async function findMembers(audienceIds: string[]): Promise<string[]> {
  const scope = { accountId: channel.account.id, channelId: channel.channelId };
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const text = await buildMembersSql(store.pool, scope, { audienceIds, now: NOW }, bind);
  const { rows } = await store.pool.query<{ id: string }>({ text, values });
  return rows.map(({ id }) => id).sort();
}

it('an audience has exactly the contacts who meet its condition, also with the index and a sample', async () => {
  const scope = { accountId: channel.account.id, channelId: channel.channelId };
  await fc.assert(
    fc.asyncProperty(conditionArbitrary(world), async (condition) => {
      const expected = findExpected(condition);
      const audience = await createAudience(store, scope, { name: newId(), condition }, NOW);
      expect(await findMembers([audience.id])).toEqual(expected);
      await store.prisma.audience.delete({ where: { id: audience.id } });
      for (const limits of [undefined, LIMITS]) {
        const preview = await previewCondition(store, scope, condition, NOW, limits);
        expect(preview).toMatchObject({ count: expected.length, isEstimate: false });
        expect(preview.examples.map(({ id }) => id)).toEqual(expected.toReversed().slice(0, 10));
      }
    }),
    { numRuns: CONDITIONS },
  );
});

it('the SQL for a country agrees with the country of each number', async () => {
  const directory = await loadCountryDirectory();
  const find = world.findDestination;
  const digits = fc.array(fc.nat(9), { minLength: 5, maxLength: 9 }).map((each) => each.join(''));
  const prefixes = [
    '1',
    '1242',
    '1809',
    '1416',
    '7',
    '76',
    '77',
    '39',
    '3906698',
    '44',
    '441481',
    '441534',
    '447',
    '212',
    '262639',
    '599',
    '5999',
    '6189162',
    '4779',
    '590690',
    '290',
    '33',
    '49',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...prefixes), digits, (prefix, lastDigits) => {
      const number = prefix + lastDigits;
      fc.pre(number.length >= 9);
      const matching = [...directory].filter(([, { callingCode, shared }]) => {
        if (!number.startsWith(callingCode)) return false;
        if (shared === null) return true;
        const isOwn = new RegExp(shared.own).test(number);
        const isOthers = shared.others.some((pattern) => new RegExp(pattern).test(number));
        return shared.isMain ? isOwn || !isOthers : isOwn && !isOthers;
      });
      expect(matching.map(([country]) => country)).toEqual([find(number).country]);
    }),
    { numRuns: 3_000 },
  );
  expect(COUNTRIES.every((country) => directory.has(country))).toBe(true);
});
