import type pg from 'pg';
import { newId } from '../../../platform/ids.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { getSqlState } from '../../../platform/store/failures.js';
import { CONTACT_FIELD_NAMES, type ContactFieldName, toStoredValue } from '../contact-fields.js';
import { forEachField, listFieldColumns, listFieldParameters } from '../contact-fields-sql.js';
import { changeContactCount } from '../contact-store.js';
import { type ImportRow, toSmsRow } from './check-row.js';
import { ImportInputError } from './import-file.js';
import { type ContactsTarget, type ImportOutcomes, importPeople, type RowOutcome } from './import-people.js';

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
INSERT INTO contacts AS c (id, account_id, channel_id, phone, ${listFieldColumns()}, created_at, updated_at)
SELECT i.id, $1, $2, i.phone, ${listFieldColumns('i.')}, $3, $3
FROM unnest($4::uuid[], $5::text[], ${listFieldParameters(6, '::text[]')}) AS i(id, phone, ${listFieldColumns()}) ORDER BY i.phone
ON CONFLICT (channel_id, phone) ${onConflict} RETURNING c.id, c.phone`;

const buildUpdatedValue = (name: ContactFieldName) => `coalesce(nullif(EXCLUDED.${name}, ''), c.${name})`;

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
  const adapted = rows.map((row) => (target.kind === 'sms' ? toSmsRow(row) : row));
  const valid = adapted.filter((row): row is ImportRow => !('reason' in row));
  const people = valid.filter(({ userId }) => userId !== null);
  const numbers = valid.filter(({ userId }) => userId === null);
  // Rows with user IDs come first, because IDs are locked before contacts.
  const importedPeople = people.length === 0 ? NOTHING_IMPORTED : await importPeople(client, target, people, startedAt);
  const importedNumbers =
    numbers.length === 0 ? NOTHING_IMPORTED : await importNumbers(client, target, numbers, startedAt);
  if (target.groupId)
    await addMembers(client, target.groupId, [...importedPeople.contactIds, ...importedNumbers.contactIds].sort());
  const outcomes = new Map<unknown, RowOutcome>();
  for (const [index, row] of people.entries()) outcomes.set(row, importedPeople.outcomes[index] as RowOutcome);
  for (const [index, row] of numbers.entries()) outcomes.set(row, importedNumbers.outcomes[index] as RowOutcome);
  const created = [...outcomes.values()].filter((outcome) => outcome === 'created').length;
  if (created > 0) await changeContactCount(client, target.channelId, created);
  return adapted.map((row) => ('reason' in row ? { reason: row.reason } : (outcomes.get(row) as RowOutcome)));
}

const NOTHING_IMPORTED: ImportOutcomes = { outcomes: [], contactIds: [] };

async function importNumbers(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
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
      ...CONTACT_FIELD_NAMES.map((name) => rows.map((row) => toStoredValue(name, row[name]))),
    ],
  });
  if (!target.groupId && writtenRows.rows.length === rows.length && !target.update) {
    return { outcomes: rows.map(() => 'created'), contactIds: [] };
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
  return { outcomes, contactIds: stored.rows.map((each) => each.id) };
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
