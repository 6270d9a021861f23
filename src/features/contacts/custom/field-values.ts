import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { isLongerThan, quote } from '../../../platform/errors/field-problems.js';

export const FIELD_TYPES = ['text', 'number', 'date', 'boolean', 'choice'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export interface FieldDefinition {
  /** Name in placeholders and in the API. */
  key: string;
  /** Name for people. */
  label: string;
  type: FieldType;
  /** Allowed values of a choice; otherwise empty. */
  choices: readonly string[];
}

/** As stored and returned. Dates are texts such as 2026-01-31. */
export type CustomValue = string | number | boolean;
export type CustomValues = Readonly<Record<string, CustomValue>>;

/** As written by people and programs. Null and an empty text clear the field. */
export type WrittenValues = Readonly<Record<string, CustomValue | null>>;

export const FIELD_KEY = /^[a-z][a-z0-9_]{0,39}$/;
export const FIELD_KEY_RULE = 'must be 1 to 40 lower-case letters, digits and underscores, starting with a letter';

export const MAX_TEXT_VALUE = 500;
/** Larger numbers lose digits in JavaScript and in spreadsheets. */
const MAX_NUMBER = 1e15;

/** Matches characters that PostgreSQL cannot store. */
const UNSTORABLE = /[\0\p{Cs}]/gu;

const WRITTEN_NUMBER = /^[+-]?\d{1,16}(?:\.\d{1,16})?$/;
const WRITTEN_DATE = /^\d{4}-\d{2}-\d{2}$/;
const YES = new Set(['yes', 'true', '1']);
const NO = new Set(['no', 'false', '0']);

export function describeValueRule({ type, choices }: Pick<FieldDefinition, 'type' | 'choices'>): string {
  if (type === 'text') return `must be a text of at most ${MAX_TEXT_VALUE} characters without control characters`;
  if (type === 'number') return 'must be a number such as 12 or 3.5';
  if (type === 'date') return 'must be a date such as 2026-01-31';
  if (type === 'boolean') return 'must be true or false, or the text yes or no';
  const firstChoices = choices.slice(0, 10).map(quote).join(', ');
  return `must be one of ${firstChoices}${choices.length > 10 ? ' and others' : ''}`;
}

/** Accepts texts for every type, because CSV files contain only texts. Returns null for an invalid value. */
export function parseValue(
  { type, choices }: Pick<FieldDefinition, 'type' | 'choices'>,
  value: CustomValue,
): CustomValue | null {
  const text = typeof value === 'string' ? value.trim() : '';
  switch (type) {
    case 'text':
      return typeof value === 'string' && !/[\p{Cc}\p{Cs}]/u.test(text) && !isLongerThan(text, MAX_TEXT_VALUE)
        ? text
        : null;
    case 'number': {
      const number = WRITTEN_NUMBER.test(text) ? Number(text) : value;
      return typeof number === 'number' && Math.abs(number) <= MAX_NUMBER ? number : null;
    }
    case 'date':
      return isDate(text) ? text : null;
    case 'boolean': {
      if (typeof value === 'boolean') return value;
      const word = text.toLowerCase();
      return YES.has(word) ? true : NO.has(word) ? false : null;
    }
    case 'choice':
      return choices.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? null;
  }
}

function isDate(text: string): boolean {
  if (!WRITTEN_DATE.test(text)) return false;
  const date = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** For people: in placeholders, CSV files and the console. */
export function formatValue(value: CustomValue | null | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null || value === undefined ? '' : String(value);
}

export interface ReadValues {
  /** Null clears the field. */
  values: Record<string, CustomValue | null>;
  problems: FieldProblem[];
}

/** @param prefix Name of the field in errors, for example `fields` */
export function readValues(
  definitions: readonly FieldDefinition[],
  written: WrittenValues,
  prefix = 'fields',
): ReadValues {
  const byKey = new Map(definitions.map((definition) => [definition.key, definition]));
  const values: Record<string, CustomValue | null> = {};
  const problems: FieldProblem[] = [];
  for (const [key, value] of Object.entries(written)) {
    const definition = byKey.get(key);
    const field = `${prefix}.${key.slice(0, 40).replace(UNSTORABLE, '\uFFFD')}`;
    if (!definition) problems.push({ field, rule: 'is not a field of the account: define it first' });
    else if (value === null || (typeof value === 'string' && value.trim() === '')) values[key] = null;
    else {
      const parsed = parseValue(definition, value);
      if (parsed === null) problems.push({ field, rule: describeValueRule(definition) });
      else values[key] = parsed;
    }
  }
  return { values, problems };
}

/** Returns null if no value is left. */
export function applyValues(
  stored: CustomValues | null,
  changes: Readonly<Record<string, CustomValue | null>>,
): CustomValues | null {
  const entries = Object.entries({ ...stored, ...changes }).filter(([, value]) => value !== null);
  return entries.length === 0 ? null : (Object.fromEntries(entries) as CustomValues);
}

/** Makes a key out of a label or the heading of a column. Returns null for labels without Latin letters. */
export function toFieldKey(label: string): string | null {
  const plain = label
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const key = plain
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 40)
    .replace(/_$/, '');
  return FIELD_KEY.test(key) ? key : null;
}
