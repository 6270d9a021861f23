import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { holdFields } from './field-store.js';
import { applyValues, type CustomValues, readValues, type WrittenValues } from './field-values.js';
import { type StoredMarks, toMarkColumns } from './prepare.js';
import { TAG_RULE, toTags } from './tag-names.js';
import { ensureTags } from './tags.js';

/** Tags and field values of a row, as they are in the file or the request. */
export interface RowMarks {
  tags?: readonly string[];
  fields?: WrittenValues;
}

export interface CheckedRows<Row> {
  marks: ReadonlyMap<Row, StoredMarks>;
  /** Reasons why rows are refused. */
  refused: ReadonlyMap<Row, string>;
}

/**
 * Checks all rows against the account's fields, and creates missing tags.
 * @param tags Tags of all rows, as results of `toTags`
 */
export async function checkRowMarks<Row extends RowMarks>(
  client: pg.PoolClient,
  accountId: string,
  { tags, rows, at }: { tags: readonly string[]; rows: readonly Row[]; at: Date },
): Promise<CheckedRows<Row>> {
  const keys = [...new Set(rows.flatMap(({ fields }) => Object.keys(fields ?? {})))];
  const definitions = keys.length === 0 ? [] : await holdFields(client, accountId, keys);
  const marks = new Map<Row, StoredMarks>();
  const refused = new Map<Row, string>();
  for (const row of rows) {
    if (!row.tags && !row.fields) continue;
    const { values, problems } = readValues(definitions, row.fields ?? {});
    const rowTags = toTags(row.tags ?? []);
    const [problem] = problems;
    if (problem) refused.set(row, `${problem.field} ${problem.rule}`);
    else if (rowTags === null) refused.set(row, `each tag ${TAG_RULE}`);
    else marks.set(row, { tags: rowTags, fields: applyValues(null, values) });
  }
  const allTags = new Set([...tags, ...[...marks.values()].flatMap((each) => each.tags)]);
  await ensureTags(client, accountId, [...allTags].sort(), at);
  return { marks, refused };
}

export interface ContactMarks {
  contactId: string;
  tags: readonly string[];
  fields: CustomValues | null;
}

/**
 * Tags are added, and fields that a row lacks keep their values. The values are read while locking, because the statement's
 * snapshot may lack a change for which it waited.
 */
const APPLY: PlannedStatement = {
  text: `
WITH input AS MATERIALIZED (
  SELECT i.id, string_to_array(i.tags, ',') AS tags, i.fields::jsonb AS fields
  FROM unnest($1::uuid[], $2::text[], $3::text[]) AS i(id, tags, fields)
), locked AS MATERIALIZED (
  SELECT c.id, c.tags, c.fields FROM contacts c WHERE c.id = ANY($1::uuid[]) ORDER BY c.id FOR NO KEY UPDATE
), changed AS MATERIALIZED (
  SELECT c.id, CASE WHEN i.fields IS NULL THEN c.fields ELSE coalesce(c.fields, '{}') || i.fields END AS fields,
    CASE WHEN c.tags @> i.tags OR i.tags IS NULL THEN c.tags ELSE (
      SELECT array_agg(tag ORDER BY tag COLLATE "C") FROM (SELECT unnest(c.tags) UNION SELECT unnest(i.tags)) AS united(tag)
    ) END AS tags
  FROM locked c JOIN input i ON i.id = c.id
)
UPDATE contacts c SET tags = n.tags, fields = n.fields, updated_at = $4 FROM changed n
WHERE c.id = n.id AND (c.tags, c.fields) IS DISTINCT FROM (n.tags, n.fields) RETURNING c.id`,
};

/** @returns IDs of changed contacts */
export async function applyContactMarks(
  client: pg.PoolClient,
  contacts: readonly ContactMarks[],
  now: Date,
): Promise<Set<string>> {
  const changes = contacts.filter(({ tags, fields }) => tags.length > 0 || fields !== null);
  if (changes.length === 0) return new Set();
  const ids = changes.map(({ contactId }) => contactId);
  const { rows } = await client.query<{ id: string }>({ ...APPLY, values: [ids, ...toUnnestedColumns(changes), now] });
  return new Set(rows.map(({ id }) => id));
}

/** Tags contain no commas, so they can be joined with commas. */
export function toUnnestedColumns(marks: readonly Partial<StoredMarks>[]): [(string | null)[], (string | null)[]] {
  const columns = marks.map(toMarkColumns);
  return [columns.map(([tags]) => tags?.join(',') ?? null), columns.map(([, fields]) => fields)];
}
