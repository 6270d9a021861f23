import type pg from 'pg';
import { type FieldProblem, invalidField } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import { type Connection, withTransaction } from '../../../platform/store/with-transaction.js';
import type { CustomColumns } from './columns.js';
import { holdFields } from './field-store.js';
import { FIELD_KEY, FIELD_KEY_RULE, type FieldType, toFieldKey } from './field-values.js';
import { createField, MAX_LABEL_LENGTH } from './fields.js';
import { requireTagsOfContact } from './tag-names.js';
import { ensureTags } from './tags.js';

/** A column of an imported file and the field that it fills. */
export interface FieldColumn {
  /** Heading of the column. */
  column: string;
  /** Default: made from the heading. */
  key?: string;
  /** For a field that does not exist yet. Default: the heading. */
  label?: string;
  /** For a field that does not exist yet. Default: text. */
  type?: FieldType;
  /** For a choice that does not exist yet. */
  choices?: readonly string[];
}

/**
 * Creates the fields that the account does not have yet, and returns the heading of each field's column.
 * @param header Null if the file is not known yet
 * @throws {AppError} INVALID_REQUEST for a missing column or an invalid field, or CONFLICT if the account has too many
 * fields
 */
export async function ensureFieldColumns(
  client: pg.PoolClient,
  accountId: string,
  { columns, header }: { columns: readonly FieldColumn[]; header: readonly string[] | null },
  now: Date,
): Promise<CustomColumns> {
  const keyed = columns.map((each) => ({ ...each, key: each.key ?? toFieldKey(each.column) ?? '' }));
  const problems = keyed.flatMap((each, index) => checkColumn(each, index, header));
  if (problems.length > 0) throw invalidFields(problems);
  const existing = await holdFields(
    client,
    accountId,
    keyed.map(({ key }) => key),
  );
  for (const [
    index,
    { key, column, label = column.trim().slice(0, MAX_LABEL_LENGTH), type, choices },
  ] of keyed.entries()) {
    const field = existing.find((each) => each.key === key);
    if (!field) await createField({ pool: client }, accountId, { key, label, type: type ?? 'text', choices }, now);
    else if (type !== undefined && type !== field.type)
      throw invalidField(`fieldColumns[${index}].type`, `must be ${field.type}, the type of the existing field`);
  }
  return Object.fromEntries(keyed.map(({ key, column }) => [key, column]));
}

function checkColumn(
  { column, key }: { column: string; key: string },
  index: number,
  header: readonly string[] | null,
): FieldProblem[] {
  const names = header?.map((cell) => cell.trim().toLowerCase());
  const isMissing = names !== undefined && !names.includes(column.trim().toLowerCase());
  return [
    ...(isMissing ? [{ field: `fieldColumns[${index}].column`, rule: 'must be a column of the file' }] : []),
    ...(FIELD_KEY.test(key) ? [] : [{ field: `fieldColumns[${index}].key`, rule: FIELD_KEY_RULE }]),
  ];
}

/** What an import creates before it reads its rows. */
export interface ImportMarks {
  /** All contacts of the import get these tags. */
  tags?: readonly string[];
  fieldColumns?: readonly FieldColumn[];
}

export interface PreparedImport {
  tags: string[];
  columns: CustomColumns;
}

/** @throws {AppError} INVALID_REQUEST for invalid tags, and as `ensureFieldColumns` */
export async function prepareImport(
  connection: Connection,
  accountId: string,
  { tags = [], fieldColumns = [] }: ImportMarks,
  { header, at }: { header: readonly string[] | null; at: Date },
): Promise<PreparedImport> {
  const checkedTags = requireTagsOfContact('tags', tags);
  if (checkedTags.length + fieldColumns.length === 0) return { tags: [], columns: {} };
  return await withTransaction(connection, async (client) => {
    await ensureTags(client, accountId, checkedTags, at);
    return {
      tags: checkedTags,
      columns: await ensureFieldColumns(client, accountId, { columns: fieldColumns, header }, at),
    };
  });
}
