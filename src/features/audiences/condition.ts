import { CONTACT_FIELD_NAMES } from '../contacts/contact-fields.js';
import type { FieldType } from '../contacts/custom/field-values.js';

/** How a test compares. The operators of `campaign` are the outcomes of a campaign's message. */
export type Operator =
  | 'is'
  | 'isNot'
  | 'contains'
  | 'notContains'
  | 'startsWith'
  | 'lessThan'
  | 'moreThan'
  | 'before'
  | 'after'
  | 'inLastDays'
  | 'notInLastDays'
  | 'inNextDays'
  | 'has'
  | 'hasNot'
  | 'isSet'
  | 'isNotSet'
  | CampaignOutcome;

export const CAMPAIGN_OUTCOMES = ['delivered', 'read', 'replied', 'clicked', 'failed', 'notReached'] as const;
export type CampaignOutcome = (typeof CAMPAIGN_OUTCOMES)[number];

/** One comparison. Operators such as `isSet` have no value. */
export interface Test {
  /** A name from `BUILT_IN_KINDS`, or `fields.` and the key of a contact field. */
  field: string;
  operator: Operator;
  /** Dates are texts such as 2026-01-31. Days are numbers. Groups and campaigns are IDs. */
  value?: string | number | boolean;
}

/**
 * A condition that a contact meets or does not meet. A comparison with a missing value is false, and `isNot`, `notContains`,
 * `hasNot` and `notInLastDays` are true whenever `is`, `contains`, `has` and `inLastDays` are false.
 */
export type Condition = Test | { all: Condition[] } | { any: Condition[] } | { not: Condition };

/** Lists within lists: `all` and `any` can contain lists, and these lists only tests. */
export const MAX_LEVELS = 2;
export const MAX_TESTS = 50;
export const MAX_DAYS = 3650;

export type TestKind = FieldType | 'time' | 'created' | 'tags' | 'groups' | 'country' | 'optedOut' | 'campaign';

export const OPERATORS: Readonly<Record<TestKind, readonly Operator[]>> = {
  text: ['is', 'isNot', 'contains', 'notContains', 'startsWith', 'isSet', 'isNotSet'],
  number: ['is', 'isNot', 'lessThan', 'moreThan', 'isSet', 'isNotSet'],
  date: ['is', 'isNot', 'before', 'after', 'inLastDays', 'notInLastDays', 'inNextDays', 'isSet', 'isNotSet'],
  boolean: ['is', 'isSet', 'isNotSet'],
  choice: ['is', 'isNot', 'isSet', 'isNotSet'],
  time: ['before', 'after', 'inLastDays', 'notInLastDays', 'isSet', 'isNotSet'],
  created: ['before', 'after', 'inLastDays', 'notInLastDays'],
  tags: ['has', 'hasNot', 'isSet', 'isNotSet'],
  groups: ['has', 'hasNot', 'isSet', 'isNotSet'],
  country: ['is', 'isNot'],
  optedOut: ['is'],
  campaign: CAMPAIGN_OUTCOMES,
};

export const BUILT_IN_KINDS: Readonly<Record<string, TestKind>> = {
  ...Object.fromEntries(CONTACT_FIELD_NAMES.map((name) => [name, 'text' as const])),
  tags: 'tags',
  groups: 'groups',
  country: 'country',
  optedOut: 'optedOut',
  createdAt: 'created',
  lastInboundAt: 'time',
  lastOutboundAt: 'time',
  campaign: 'campaign',
};

export const hasValue = (operator: Operator) => operator !== 'isSet' && operator !== 'isNotSet';

export const DAY_OPERATORS: ReadonlySet<Operator> = new Set(['inLastDays', 'notInLastDays', 'inNextDays']);

const CUSTOM_PREFIX = 'fields.';

/** Returns the key of a contact field, or null for built-in fields. */
export function toCustomKey(field: string): string | null {
  return field.startsWith(CUSTOM_PREFIX) ? field.slice(CUSTOM_PREFIX.length) : null;
}

export function listTests(condition: Condition): Test[] {
  if ('field' in condition) return [condition];
  if ('not' in condition) return listTests(condition.not);
  return ('all' in condition ? condition.all : condition.any).flatMap(listTests);
}

export function usesGroup(condition: Condition, groupId: string): boolean {
  return listTests(condition).some(({ field, value }) => field === 'groups' && value === groupId);
}

export function usesCustomField(condition: Condition, key: string): boolean {
  return listTests(condition).some(({ field }) => toCustomKey(field) === key);
}
