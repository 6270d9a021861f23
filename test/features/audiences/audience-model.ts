import fc from 'fast-check';
import type { FindDestination } from '../../../src/carriers/numbers/destinations.js';
import type { CampaignOutcome, Condition, Operator, Test } from '../../../src/features/audiences/condition.js';
import type { CustomValue } from '../../../src/features/contacts/custom/field-values.js';

export const NOW = new Date('2026-03-15T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;

export const FIELDS = [
  { key: 'city', label: 'City', type: 'text', choices: [] },
  { key: 'seats', label: 'Seats', type: 'number', choices: [] },
  { key: 'since', label: 'Since', type: 'date', choices: [] },
  { key: 'active', label: 'Active', type: 'boolean', choices: [] },
  { key: 'plan', label: 'Plan', type: 'choice', choices: ['basic', 'pro'] },
] as const;

/** The last three digits differ between contacts. */
const NUMBERS = [
  '33612345',
  '447700900',
  '447781123',
  '441481250',
  '441534123',
  '12015550',
  '14165550',
  '12425550',
  '18005550',
  '79161234',
  '77011234',
  '3933312345',
  '390669812',
  '2623912345',
  '262639123',
  '4479',
  '3584512345',
  '358181234',
] as const;
export const COUNTRIES = [
  'FR',
  'GB',
  'GG',
  'JE',
  'IM',
  'US',
  'CA',
  'BS',
  'RU',
  'KZ',
  'IT',
  'VA',
  'RE',
  'YT',
  'FI',
  'AX',
  'DE',
];

export interface ModelMessage {
  /** Index of a campaign, or null. */
  campaign: number | null;
  status: 'queued' | 'sent' | 'delivered' | 'read' | 'undelivered' | 'failed' | 'rejected' | 'expired' | 'canceled';
  createdAt: Date;
  /** By a bot only, or by a person; null without a link. */
  clickedBy: 'nobody' | 'bot' | 'person' | null;
}

export interface ModelContact {
  number: string | null;
  userCountry: string;
  name: string;
  email: string;
  firstName: string | null;
  fields: Partial<Record<(typeof FIELDS)[number]['key'], CustomValue>>;
  tags: string[];
  /** Indexes of groups. */
  groups: number[];
  optedOut: boolean;
  createdAt: Date;
  inbound: Date[];
  outbound: ModelMessage[];
  /** Whether `last_outbound_at` was recorded. */
  isRecorded: boolean;
}

/** Times near midnight and near the time of day of NOW, so that limits of days matter. */
const time = fc
  .tuple(fc.nat(12), fc.constantFrom(0, -1, 1, DAY_MS / 2, DAY_MS / 2 + 1, DAY_MS / 3))
  .map(([days, ms]) => new Date(NOW.getTime() - days * DAY_MS - ms));
const day = time.map((each) => each.toISOString().slice(0, 10));
const nearbyDay = fc.oneof(day, fc.constantFrom('2026-03-18', '2026-03-16', '2025-12-31'));
const text = fc.constantFrom('Berlin', 'berlin', 'BERLIN Mitte', 'Köln', 'KÖLN', '50 % off_', 'a', 'Paris');
const number = fc.constantFrom(-1, 0, 2.5, 3, 10);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

export const contactArbitrary: fc.Arbitrary<ModelContact> = fc.record({
  number: fc.option(fc.constantFrom(...NUMBERS), { freq: 8 }),
  userCountry: fc.constantFrom('FR', 'US', 'BS'),
  name: fc.oneof(text, fc.constant('')),
  email: fc.constantFrom('', 'ada@example.com'),
  firstName: fc.option(text),
  fields: fc
    .record({
      city: optional(text),
      seats: optional(number),
      since: optional(nearbyDay),
      active: optional(fc.boolean()),
      plan: optional(fc.constantFrom('basic', 'pro', 'gone')),
    })
    .map((values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))),
  tags: fc.uniqueArray(fc.constantFrom('vip', 'new', 'zürich')),
  groups: fc.uniqueArray(fc.nat(1)),
  optedOut: fc.boolean(),
  createdAt: time,
  inbound: fc.array(time, { maxLength: 2 }),
  outbound: fc.array(
    fc.record({
      campaign: fc.option(fc.nat(1), { freq: 4 }),
      status: fc.constantFrom<ModelMessage['status'][]>(
        ...([
          'queued',
          'sent',
          'delivered',
          'read',
          'undelivered',
          'failed',
          'rejected',
          'expired',
          'canceled',
        ] as const),
      ),
      createdAt: time,
      clickedBy: fc.constantFrom(null, 'nobody', 'bot', 'person'),
    }),
    { maxLength: 2 },
  ),
  isRecorded: fc.boolean(),
});

const withValue = <T extends string | number | boolean>(operators: Operator[], field: string, value: fc.Arbitrary<T>) =>
  fc.record({ field: fc.constant(field), operator: fc.constantFrom(...operators), value }) as fc.Arbitrary<Test>;
const withoutValue = (...fields: string[]) =>
  fc.record({ field: fc.constantFrom(...fields), operator: fc.constantFrom<Operator[]>('isSet', 'isNotSet') });
const days = fc.integer({ min: 1, max: 12 });

/** @param ids of the two groups and the two campaigns */
export function conditionArbitrary(ids: { groups: string[]; campaigns: string[] }): fc.Arbitrary<Condition> {
  const test: fc.Arbitrary<Test> = fc.oneof(
    ...['fields.city', 'name', 'firstName'].map((field) =>
      withValue(
        ['is', 'isNot', 'contains', 'notContains', 'startsWith'],
        field,
        fc.oneof(text, fc.constantFrom('LIN', '% o', 'ö')),
      ),
    ),
    withValue(['is', 'isNot', 'lessThan', 'moreThan'], 'fields.seats', number),
    withValue(['is', 'isNot', 'before', 'after'], 'fields.since', nearbyDay),
    withValue(['inLastDays', 'notInLastDays', 'inNextDays'], 'fields.since', days),
    withValue(['is'], 'fields.active', fc.boolean()),
    withValue(['is', 'isNot'], 'fields.plan', fc.constantFrom('basic', 'pro')),
    withValue(['has', 'hasNot'], 'tags', fc.constantFrom('vip', 'new', 'zürich', 'unused')),
    withValue(['has', 'hasNot'], 'groups', fc.constantFrom(...ids.groups)),
    withValue(['is', 'isNot'], 'country', fc.constantFrom(...COUNTRIES)),
    withValue(['is'], 'optedOut', fc.boolean()),
    ...['createdAt', 'lastInboundAt', 'lastOutboundAt'].flatMap((field) => [
      withValue(['before', 'after'], field, day),
      withValue(['inLastDays', 'notInLastDays'], field, days),
    ]),
    withValue(
      ['delivered', 'read', 'replied', 'clicked', 'failed', 'notReached'],
      'campaign',
      fc.constantFrom(...ids.campaigns),
    ),
    withoutValue(
      'fields.city',
      'fields.seats',
      'firstName',
      'email',
      'tags',
      'groups',
      'lastInboundAt',
      'lastOutboundAt',
    ),
  );
  const negated = <T extends Condition>(entry: fc.Arbitrary<T>) =>
    fc.tuple(entry, fc.nat(3)).map(([each, n]): Condition => (n === 0 ? { not: each } : each));
  const list = (entry: fc.Arbitrary<Condition>) =>
    fc
      .tuple(fc.boolean(), fc.array(entry, { minLength: 1, maxLength: 3 }))
      .map(([isAll, entries]): Condition => (isAll ? { all: entries } : { any: entries }));
  return negated(fc.oneof(test, list(fc.oneof(negated(test), negated(list(negated(test)))))));
}

export interface World {
  groups: string[];
  campaigns: string[];
  findDestination: FindDestination;
}

/** Evaluates a condition in the simplest possible way. */
export function meets(contact: ModelContact, condition: Condition, world: World): boolean {
  if ('all' in condition) return condition.all.every((each) => meets(contact, each, world));
  if ('any' in condition) return condition.any.some((each) => meets(contact, each, world));
  if ('not' in condition) return !meets(contact, condition.not, world);
  const { field, operator, value } = condition;
  switch (field) {
    case 'tags':
      return compareSets(contact.tags, operator, value);
    case 'groups':
      return compareSets(
        contact.groups.map((index) => world.groups[index] as string),
        operator,
        value,
      );
    case 'country':
      return compare(findCountry(contact, world), operator, value);
    case 'optedOut':
      return contact.optedOut === value;
    case 'createdAt':
      return compareTimes(contact.createdAt, operator, value);
    case 'lastInboundAt':
      return compareTimes(latest(contact.inbound), operator, value);
    case 'lastOutboundAt':
      return compareTimes(latest(contact.outbound.map(({ createdAt }) => createdAt)), operator, value);
    case 'campaign':
      return contact.outbound.some(
        (message) =>
          message.campaign !== null &&
          world.campaigns[message.campaign] === value &&
          hasOutcome(message, contact, operator as CampaignOutcome),
      );
    case 'name':
    case 'email':
    case 'firstName':
      return compareTexts(contact[field], operator, value);
    default: {
      const key = field.replace('fields.', '') as (typeof FIELDS)[number]['key'];
      const stored = contact.fields[key];
      if (key === 'city') return compareTexts(stored as string, operator, value);
      return key === 'since' ? compareDays(stored as string, operator, value) : compare(stored, operator, value);
    }
  }
}

function findCountry({ number: phone, userCountry }: ModelContact, { findDestination }: World): string | null {
  return phone === null ? userCountry : findDestination(`${phone}100`).country;
}

function hasOutcome(
  { status, createdAt, clickedBy }: ModelMessage,
  { inbound }: ModelContact,
  outcome: CampaignOutcome,
): boolean {
  if (outcome === 'clicked') return clickedBy === 'person';
  if (outcome === 'replied') return inbound.some((each) => each >= createdAt);
  if (outcome === 'read') return status === 'read';
  const isDelivered = status === 'delivered' || status === 'read';
  if (outcome === 'delivered') return isDelivered;
  return outcome === 'notReached' ? !isDelivered : ['failed', 'undelivered', 'rejected', 'expired'].includes(status);
}

function latest(times: readonly Date[]): Date | undefined {
  return [...times].sort((first, second) => second.getTime() - first.getTime())[0];
}

function compareSets(stored: readonly string[], operator: Operator, value: unknown): boolean {
  if (operator === 'isSet') return stored.length > 0;
  if (operator === 'isNotSet') return stored.length === 0;
  return stored.includes(String(value)) === (operator === 'has');
}

function compare(stored: CustomValue | null | undefined, operator: Operator, value: unknown): boolean {
  if (operator === 'isSet') return stored !== undefined;
  if (operator === 'isNotSet') return stored === undefined;
  if (operator === 'lessThan') return stored !== undefined && Number(stored) < Number(value);
  if (operator === 'moreThan') return stored !== undefined && Number(stored) > Number(value);
  return (stored === value) === (operator === 'is');
}

function compareTexts(stored: string | null | undefined, operator: Operator, value: unknown): boolean {
  if (operator === 'isSet' || operator === 'isNotSet') return Boolean(stored) === (operator === 'isSet');
  const [known, given] = [stored?.toLowerCase(), String(value).toLowerCase()];
  if (operator === 'contains') return known?.includes(given) ?? false;
  if (operator === 'notContains') return !known?.includes(given);
  if (operator === 'startsWith') return known?.startsWith(given) ?? false;
  return (known === given) === (operator === 'is');
}

function compareDays(stored: string | undefined, operator: Operator, value: unknown): boolean {
  const today = NOW.toISOString().slice(0, 10);
  const shifted = (count: number) => new Date(NOW.getTime() + count * DAY_MS).toISOString().slice(0, 10);
  if (operator === 'before') return stored !== undefined && stored < String(value);
  if (operator === 'after') return stored !== undefined && stored > String(value);
  const isRecent = (count: number) => stored !== undefined && stored >= shifted(-count) && stored <= today;
  if (operator === 'inLastDays') return isRecent(Number(value));
  if (operator === 'notInLastDays') return !isRecent(Number(value));
  if (operator === 'inNextDays') return stored !== undefined && stored >= today && stored <= shifted(Number(value));
  return compare(stored, operator, value);
}

function compareTimes(stored: Date | undefined, operator: Operator, value: unknown): boolean {
  if (operator === 'isSet') return stored !== undefined;
  if (operator === 'isNotSet') return stored === undefined;
  const day = stored?.toISOString().slice(0, 10);
  if (operator === 'before') return day !== undefined && day < String(value);
  if (operator === 'after') return day !== undefined && day > String(value);
  const isRecent = stored !== undefined && NOW.getTime() - stored.getTime() <= Number(value) * DAY_MS;
  return isRecent === (operator === 'inLastDays');
}
