import type pg from 'pg';
import { AppError } from '../../../platform/errors/app-error.js';
import { newId } from '../../../platform/ids.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { getSqlState } from '../../../platform/store/failures.js';
import { CONTACT_FIELD_NAMES, toStoredValue } from '../contact-fields.js';
import { forEachField, listFieldColumns, listFieldParameters } from '../contact-fields-sql.js';
import { changeContactCount } from '../contact-store.js';
import { applyContactMarks, type CheckedRows, checkRowMarks, toUnnestedColumns } from '../custom/imported-marks.js';
import type { StoredMarks } from '../custom/prepare.js';
import { type ImportRow, type RefusedRow, toSmsRow } from './check-row.js';
import { ImportInputError } from './import-file.js';
import { type ContactsTarget, type ImportOutcomes, importPeople, type RowOutcome } from './import-people.js';
import { refuseRow } from './job-rows.js';

/** Processed rows by outcome. */
export interface ImportCounts {
  rows: number;
  created: number;
  /** Changed by `update`. */
  updated: number;
  present: number;
  repeated: number;
  refused: number;
}

export interface ImportState extends ImportCounts {
  startedAt: Date;
  refusedBytes: number;
}

export interface ImportTarget extends ContactsTarget {
  /** Identifies the content of the file and the import options. */
  fingerprint: string;
}

/** How long to wait for the last statement of a killed import. */
const CLAIM_WAIT = '5s';

const CLAIM: PlannedStatement = {
  text: 'SELECT pg_advisory_lock(hashtextextended($1, 0))',
};

/**
 * Prevents a concurrent import of the same file. The lock belongs to the connection that imports, so a killed process
 * releases it only after its last statement.
 * @throws {Error} Fails if the same import is running elsewhere.
 */
export async function claimImport(client: pg.PoolClient, { channelId, fingerprint }: ImportTarget): Promise<void> {
  await client.query(`SET lock_timeout = '${CLAIM_WAIT}'`);
  try {
    await client.query({ ...CLAIM, values: [`heliograph contacts import ${channelId} ${fingerprint}`] });
  } catch (error) {
    if (getSqlState(error) === '55P03') throw new Error('this file is already being imported', { cause: error });
    throw error;
  }
  await client.query('RESET lock_timeout');
}

const COUNT_COLUMNS = ['rows', 'created', 'updated', 'present', 'repeated', 'refused'] as const;
const STATE_COLUMNS = ['started_at', ...COUNT_COLUMNS, 'refused_bytes'];

const READ: PlannedStatement = {
  text: `SELECT ${COUNT_COLUMNS.join(', ')}, started_at AS "startedAt", refused_bytes::float8 AS "refusedBytes"
         FROM contact_imports WHERE channel_id = $1 AND fingerprint = $2`,
};

export async function readImport(client: pg.PoolClient, target: ImportTarget): Promise<ImportState | null> {
  const { rows } = await client.query<ImportState>({ ...READ, values: [target.channelId, target.fingerprint] });
  return rows[0] ?? null;
}

const WRITE: PlannedStatement = {
  text: `INSERT INTO contact_imports (channel_id, fingerprint, ${STATE_COLUMNS.join(', ')})
         VALUES ($1, $2, ${STATE_COLUMNS.map((_, index) => `$${index + 3}`).join(', ')})
         ON CONFLICT (channel_id, fingerprint) DO UPDATE SET
           ${STATE_COLUMNS.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`,
};

export async function writeImport(client: pg.PoolClient, target: ImportTarget, state: ImportState): Promise<void> {
  const { channelId, fingerprint } = target;
  const counts = COUNT_COLUMNS.map((column) => state[column]);
  await client.query({ ...WRITE, values: [channelId, fingerprint, state.startedAt, ...counts, state.refusedBytes] });
}

const END: PlannedStatement = {
  text: 'DELETE FROM contact_imports WHERE channel_id = $1 AND fingerprint = $2',
};

export async function endImport(client: pg.PoolClient, target: ImportTarget): Promise<void> {
  await client.query({ ...END, values: [target.channelId, target.fingerprint] });
}

interface StoredContact {
  id: string;
  phone: string;
  /** Whether this import, including its earlier batches, created or changed the contact. */
  isFromImport: boolean;
}

const buildInsert = (onConflict: string) => `
INSERT INTO contacts AS c (id, account_id, channel_id, phone, tags, fields, ${listFieldColumns()}, created_at, updated_at)
SELECT i.id, $1, $2, i.phone, string_to_array(i.tags, ','), i.fields::jsonb, ${listFieldColumns('i.')}, $3, $3
FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], ${listFieldParameters(8, '::text[]')})
  AS i(id, phone, tags, fields, ${listFieldColumns()}) ORDER BY i.phone
ON CONFLICT (channel_id, phone) ${onConflict} RETURNING c.id, c.phone`;

const buildUpdatedValue = (name: string) => `coalesce(nullif(EXCLUDED.${name}, ''), c.${name})`;

const INSERT_NEW: PlannedStatement = { text: buildInsert('DO NOTHING') };

/** If several rows have the same number, the first one counts. */
const INSERT_OR_UPDATE: PlannedStatement = {
  text: buildInsert(`DO UPDATE SET
  ${forEachField((name) => `${name} = ${buildUpdatedValue(name)}`)},
  updated_at = EXCLUDED.updated_at
WHERE c.created_at <> EXCLUDED.created_at AND c.updated_at <> EXCLUDED.updated_at
  AND (${listFieldColumns('c.')}) IS DISTINCT FROM (${forEachField(buildUpdatedValue)})`),
};

const FIND_STORED: PlannedStatement = {
  text: `SELECT id, phone, created_at = $3 OR updated_at = $3 AS "isFromImport" FROM contacts
         WHERE channel_id = $1 AND phone = ANY($2::text[]) FOR KEY SHARE`,
};

/** @param startedAt creation time of all contacts that the import creates */
export async function importRows(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
  startedAt: Date,
): Promise<RowOutcome[]> {
  const { tags = [] } = target;
  const checked = await checkRowMarks(client, target.accountId, { tags, rows, at: startedAt }).catch(toInputError);
  const adapted = rows.map((row) => {
    const reason = checked.refused.get(row);
    if (reason !== undefined) return refuseRow(row, reason);
    return target.kind === 'sms' ? toSmsRow(row) : row;
  });
  const marks = toContactMarks(target, rows, adapted, checked);
  const valid = adapted.filter((row): row is ImportRow => !('reason' in row));
  const people = valid.filter(({ userId }) => userId !== null);
  const numbers = valid.filter(({ userId }) => userId === null);
  // Rows with user IDs come first, because IDs are locked before contacts.
  const importedPeople = people.length === 0 ? NOTHING_IMPORTED : await importPeople(client, target, people, startedAt);
  const importedNumbers =
    numbers.length === 0 ? NOTHING_IMPORTED : await importNumbers(client, target, { rows: numbers, marks }, startedAt);
  if (target.groupId)
    await addMembers(
      client,
      target.groupId,
      [...importedPeople.contactIds.values(), ...importedNumbers.contactIds.values()].sort(),
    );
  const outcomes = new Map<unknown, RowOutcome>();
  for (const [index, row] of people.entries()) outcomes.set(row, importedPeople.outcomes[index] as RowOutcome);
  for (const [index, row] of numbers.entries()) outcomes.set(row, importedNumbers.outcomes[index] as RowOutcome);
  await markContacts(client, target, { marks, outcomes, imported: [importedPeople, importedNumbers], startedAt });
  const created = [...outcomes.values()].filter((outcome) => outcome === 'created').length;
  if (created > 0) await changeContactCount(client, target.channelId, created);
  return adapted.map((row) => ('reason' in row ? { reason: row.reason } : (outcomes.get(row) as RowOutcome)));
}

const NOTHING_IMPORTED: ImportOutcomes = { outcomes: [], contactIds: new Map() };

/** An import that exceeds the account's number of tags fails, because repeating it would not help. */
function toInputError(error: unknown): never {
  if (error instanceof AppError && error.code === 'INVALID_REQUEST') throw new ImportInputError(error.message);
  throw error;
}

/** Tags and field values of new contacts, by row. */
type MarksByRow = ReadonlyMap<unknown, StoredMarks>;

function toContactMarks(
  { tags = [] }: ContactsTarget,
  rows: readonly ImportRow[],
  adapted: readonly (ImportRow | RefusedRow)[],
  { marks }: CheckedRows<ImportRow>,
): MarksByRow {
  if (tags.length === 0 && marks.size === 0) return new Map();
  return new Map(
    rows.map((row, index) => {
      const own = marks.get(row) ?? { tags: [], fields: null };
      return [adapted[index], { ...own, tags: [...new Set([...own.tags, ...tags])].sort() }];
    }),
  );
}

/** The tags and values of a row change an existing contact only with `update`, unlike the tags of all contacts. */
async function markContacts(
  client: pg.PoolClient,
  { tags = [], update }: ContactsTarget,
  {
    marks,
    outcomes,
    imported,
    startedAt,
  }: {
    marks: MarksByRow;
    outcomes: Map<unknown, RowOutcome>;
    imported: readonly ImportOutcomes[];
    startedAt: Date;
  },
): Promise<void> {
  if (marks.size === 0) return;
  const contacts = imported.flatMap(({ contactIds }) =>
    [...contactIds].flatMap(([row, contactId]) => {
      const outcome = outcomes.get(row);
      const replaces = outcome === 'created' || (update && outcome !== 'repeated');
      const rowMarks = replaces ? (marks.get(row) as StoredMarks) : { tags, fields: null };
      return [{ row, contactId, ...rowMarks }];
    }),
  );
  const changed = await applyContactMarks(client, contacts, startedAt);
  for (const { row, contactId } of contacts)
    if (outcomes.get(row) === 'present' && changed.has(contactId)) outcomes.set(row, 'updated');
}

async function importNumbers(
  client: pg.PoolClient,
  target: ContactsTarget,
  { rows, marks }: { rows: readonly ImportRow[]; marks: MarksByRow },
  startedAt: Date,
): Promise<ImportOutcomes> {
  const ids = rows.map(() => newId());
  const phones = rows.map((row) => row.phone as string);
  const writtenRows = await client.query<{ id: string; phone: string }>({
    ...(target.update ? INSERT_OR_UPDATE : INSERT_NEW),
    values: [
      target.accountId,
      target.channelId,
      startedAt,
      ids,
      phones,
      ...toUnnestedColumns(rows.map((row) => marks.get(row) ?? {})),
      ...CONTACT_FIELD_NAMES.map((name) => rows.map((row) => toStoredValue(name, row[name]))),
    ],
  });
  if (!target.groupId && writtenRows.rows.length === rows.length && !target.update) {
    return { outcomes: rows.map(() => 'created'), contactIds: new Map() };
  }
  const stored = await client.query<StoredContact>({
    ...FIND_STORED,
    values: [target.channelId, phones, startedAt],
  });
  const newIds = new Set(ids);
  const outcomeByPhone = new Map(
    writtenRows.rows.map((each) => [each.phone, newIds.has(each.id) ? 'created' : 'updated'] as const),
  );
  const importedBefore = new Set(stored.rows.filter((each) => each.isFromImport).map((each) => each.phone));
  const outcomes = phones.map(
    (phone) => outcomeByPhone.get(phone) ?? (importedBefore.has(phone) ? 'repeated' : 'present'),
  );
  const idByPhone = new Map(stored.rows.map(({ phone, id }) => [phone, id]));
  const contactIds = new Map<ImportRow, string>();
  for (const [index, row] of rows.entries()) {
    const id = idByPhone.get(phones[index] as string);
    if (id !== undefined) contactIds.set(row, id);
  }
  return { outcomes, contactIds };
}

const LOCK_GROUP: PlannedStatement = {
  text: 'SELECT 1 FROM contact_groups WHERE id = $1 FOR NO KEY UPDATE',
};

const ADD_MEMBERS: PlannedStatement = {
  text: `INSERT INTO group_members (group_id, contact_id)
         SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING`,
};

const COUNT_MEMBERS: PlannedStatement = {
  text: 'UPDATE contact_groups SET contact_count = contact_count + $2 WHERE id = $1',
};

async function addMembers(client: pg.PoolClient, groupId: string, contactIds: readonly string[]): Promise<void> {
  const group = await client.query({ ...LOCK_GROUP, values: [groupId] });
  if (group.rowCount === 0) throw new ImportInputError('the group was deleted during the import');
  const { rowCount } = await client.query({ ...ADD_MEMBERS, values: [groupId, contactIds] });
  await client.query({ ...COUNT_MEMBERS, values: [groupId, rowCount] });
}
