import type pg from 'pg';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { holdFields } from './field-store.js';
import { applyValues, type CustomValue, type CustomValues, readValues, type WrittenValues } from './field-values.js';
import { MAX_TAGS_PER_CONTACT, TAG_COUNT_RULE, TAG_RULE, toTags } from './tag-names.js';
import { ensureTags } from './tags.js';

/** Tags and field values as they arrive in a request. */
export interface WrittenMarks {
  /** Replace all tags of the contact. */
  tags?: readonly string[];
  /** Fields that are not listed keep their values; null clears a field. */
  fields?: WrittenValues;
}

export interface CheckedMarks {
  tags?: readonly string[];
  fields?: Readonly<Record<string, CustomValue | null>>;
}

export interface StoredMarks {
  tags: readonly string[];
  /** Null without values. */
  fields: CustomValues | null;
}

/**
 * Checks tags and fields against the account's definitions, and creates missing tags. Call this function before the
 * transaction locks contacts.
 * @throws {AppError} INVALID_REQUEST naming every invalid field
 */
export async function prepareMarks(
  client: pg.PoolClient,
  accountId: string,
  { tags, fields }: WrittenMarks,
  now: Date,
): Promise<CheckedMarks> {
  const checkedTags = tags && toTags(tags);
  const problems: FieldProblem[] = checkedTags === null ? [{ field: 'tags', rule: `each ${TAG_RULE}` }] : [];
  if (checkedTags && checkedTags.length > MAX_TAGS_PER_CONTACT) problems.push({ field: 'tags', rule: TAG_COUNT_RULE });
  const keys = Object.keys(fields ?? {});
  const definitions = keys.length === 0 ? [] : await holdFields(client, accountId, keys);
  const read = readValues(definitions, fields ?? {});
  problems.push(...read.problems);
  if (problems.length > 0) throw invalidFields(problems);
  if (checkedTags) await ensureTags(client, accountId, checkedTags, now);
  return { ...(checkedTags && { tags: checkedTags }), ...(fields && { fields: read.values }) };
}

export function applyMarks(stored: StoredMarks, { tags, fields }: CheckedMarks): StoredMarks {
  return { tags: tags ?? stored.tags, fields: fields ? applyValues(stored.fields, fields) : stored.fields };
}

export function areMarksEqual(first: StoredMarks, second: StoredMarks): boolean {
  const toText = ({ tags, fields }: StoredMarks) =>
    JSON.stringify([tags, Object.entries(fields ?? {}).sort(compareKeys)]);
  return toText(first) === toText(second);
}

function compareKeys([first]: [string, unknown], [second]: [string, unknown]): number {
  return first < second ? -1 : 1;
}

/** For the columns `tags` and `fields`. */
export function toMarkColumns({ tags, fields }: Partial<StoredMarks>): [readonly string[] | null, string | null] {
  return [tags && tags.length > 0 ? tags : null, fields ? JSON.stringify(fields) : null];
}
