import type pg from 'pg';
import { newId } from '../../../platform/ids.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { sqlState } from '../../../platform/store/failures.js';
import { CONTACT_FIELD_NAMES, type ContactFieldName, storedValue } from '../contact-fields.js';
import { fieldColumns, fieldParameters, forEachField } from '../contact-fields-sql.js';
import { countContacts } from '../contact-store.js';
import { type ImportRow, rowOfSms } from './check-row.js';
import { ImportInputError } from './import-file.js';
import { type ContactsTarget, type Imported, importPeople, type RowOutcome } from './import-people.js';

/** Rows that are done, by what became of each. */
export interface ImportCounts {
  rows: number;
  created: number;
  /** Changed by `update`. */
  updated: number;
  /** Their number was in the channel before. */
  present: number;
  /** Their number stands in an earlier row of the file. */
  repeated: number;
  refused: number;
}

/** An import that is under way. */
export interface ImportState extends ImportCounts {
  startedAt: Date;
  /** Length of the file of refused rows up to here. */
  refusedBytes: number;
}

export interface ImportTarget extends ContactsTarget {
  /** Of the file's content and of how it is imported. */
  fingerprint: string;
}

/** How long a killed import may still be at its last statement. */
const CLAIM_WAIT = '5s';

const CLAIM: PlannedStatement = {
  text: 'SELECT pg_advisory_lock(hashtextextended($1, 0))',
};

/**
 * Keeps others from importing the same. The claim belongs to the connection that does the work: where a process was
 * killed, it ends only after the last statement that PostgreSQL had from it, and what that committed is seen.
 * @throws {Error} while the same import is running elsewhere
 */
export async function claimImport(client: pg.PoolClient, { channelId, fingerprint }: ImportTarget): Promise<void> {
  await client.query(`SET lock_timeout = '${CLAIM_WAIT}'`);
  try {
    await client.query({ ...CLAIM, values: [`heliograph contacts import ${channelId} ${fingerprint}`] });
  } catch (error) {
    if (sqlState(error) === '55P03') throw new Error('this file is being imported already', { cause: error });
    throw error;
  }
  await client.query('RESET lock_timeout');
}

const COUNTS = ['rows', 'created', 'updated', 'present', 'repeated', 'refused'] as const;
const WRITTEN = ['started_at', ...COUNTS, 'refused_bytes'];

const READ: PlannedStatement = {
  text: `SELECT ${COUNTS.join(', ')}, started_at AS "startedAt", refused_bytes::float8 AS "refusedBytes"
         FROM contact_imports WHERE channel_id = $1 AND fingerprint = $2`,
};

/** Where an import that was interrupted stands; null when there is none. */
export async function readImport(client: pg.PoolClient, target: ImportTarget): Promise<ImportState | null> {
  const { rows } = await client.query<ImportState>({ ...READ, values: [target.channelId, target.fingerprint] });
  return rows[0] ?? null;
}

const WRITE: PlannedStatement = {
  text: `INSERT INTO contact_imports (channel_id, fingerprint, ${WRITTEN.join(', ')})
         VALUES ($1, $2, ${WRITTEN.map((_, index) => `$${index + 3}`).join(', ')})
         ON CONFLICT (channel_id, fingerprint) DO UPDATE SET
           ${WRITTEN.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}`,
};

/** Writes where an import stands, in the transaction of what it did. */
export async function writeImport(client: pg.PoolClient, target: ImportTarget, state: ImportState): Promise<void> {
  const { channelId, fingerprint } = target;
  const counts = COUNTS.map((column) => state[column]);
  await client.query({ ...WRITE, values: [channelId, fingerprint, state.startedAt, ...counts, state.refusedBytes] });
}

const END: PlannedStatement = {
  text: 'DELETE FROM contact_imports WHERE channel_id = $1 AND fingerprint = $2',
};

/** Forgets an import: the next one of the same file begins anew. */
export async function endImport(client: pg.PoolClient, target: ImportTarget): Promise<void> {
  await client.query({ ...END, values: [target.channelId, target.fingerprint] });
}

interface StoredContact {
  id: string;
  phone: string;
  /** Made or changed by this import, before or in this batch. */
  own: boolean;
}

const insert = (onConflict: string) => `
INSERT INTO contacts AS c (id, account_id, channel_id, phone, ${fieldColumns()}, created_at, updated_at)
SELECT i.id, $1, $2, i.phone, ${fieldColumns('i.')}, $3, $3
FROM unnest($4::uuid[], $5::text[], ${fieldParameters(6, '::text[]')}) AS i(id, phone, ${fieldColumns()}) ORDER BY i.phone
ON CONFLICT (channel_id, phone) ${onConflict} RETURNING c.id, c.phone`;

/** An empty cell leaves the field as it is. */
const updatedValue = (name: ContactFieldName) => `coalesce(nullif(EXCLUDED.${name}, ''), c.${name})`;

const INSERT_NEW: PlannedStatement = { text: insert('DO NOTHING') };

/** If several rows have the same number, the first one counts. */
const INSERT_OR_UPDATE: PlannedStatement = {
  text: insert(`DO UPDATE SET
  ${forEachField((name) => `${name} = ${updatedValue(name)}`)},
  updated_at = EXCLUDED.updated_at
WHERE c.created_at <> EXCLUDED.created_at AND c.updated_at <> EXCLUDED.updated_at
  AND (${fieldColumns('c.')}) IS DISTINCT FROM (${forEachField(updatedValue)})`),
};

const FIND_STORED: PlannedStatement = {
  text: `SELECT id, phone, created_at = $3 OR updated_at = $3 AS own FROM contacts
         WHERE channel_id = $1 AND phone = ANY($2::text[]) FOR KEY SHARE`,
};

/**
 * Imports rows of different people in the caller's transaction, and adds their contacts to the group.
 * @param startedAt becomes the time of all contacts of the import
 * @returns what became of each, in their order
 */
export async function importRows(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
  startedAt: Date,
): Promise<RowOutcome[]> {
  const taken = rows.map((row) => (target.kind === 'sms' ? rowOfSms(row) : row));
  const good = taken.filter((row): row is ImportRow => !('reason' in row));
  const people = good.filter(({ userId }) => userId !== null);
  const numbers = good.filter(({ userId }) => userId === null);
  // Ids of people are locked before contacts.
  const ofPeople = people.length === 0 ? NONE : await importPeople(client, target, people, startedAt);
  const ofNumbers = numbers.length === 0 ? NONE : await importNumbers(client, target, numbers, startedAt);
  if (target.groupId) await addAll(client, target.groupId, [...ofPeople.contactIds, ...ofNumbers.contactIds].sort());
  const outcomes = new Map<unknown, RowOutcome>();
  for (const [index, row] of people.entries()) outcomes.set(row, ofPeople.outcomes[index] as RowOutcome);
  for (const [index, row] of numbers.entries()) outcomes.set(row, ofNumbers.outcomes[index] as RowOutcome);
  const created = [...outcomes.values()].filter((outcome) => outcome === 'created').length;
  if (created > 0) await countContacts(client, target.channelId, created);
  return taken.map((row) => ('reason' in row ? { reason: row.reason } : (outcomes.get(row) as RowOutcome)));
}

const NONE: Imported = { outcomes: [], contactIds: [] };

/** Rows that name a number alone. */
async function importNumbers(
  client: pg.PoolClient,
  target: ContactsTarget,
  rows: readonly ImportRow[],
  startedAt: Date,
): Promise<Imported> {
  const ids = rows.map(() => newId());
  const phones = rows.map((row) => row.phone as string);
  const written = await client.query<{ id: string; phone: string }>({
    ...(target.update ? INSERT_OR_UPDATE : INSERT_NEW),
    values: [
      target.accountId,
      target.channelId,
      startedAt,
      ids,
      phones,
      ...CONTACT_FIELD_NAMES.map((name) => rows.map((row) => storedValue(name, row[name]))),
    ],
  });
  if (!target.groupId && written.rows.length === rows.length && !target.update) {
    return { outcomes: rows.map(() => 'created'), contactIds: [] };
  }
  const stored = await client.query<StoredContact>({
    ...FIND_STORED,
    values: [target.channelId, phones, startedAt],
  });
  const made = new Set(ids);
  const touched = new Map(written.rows.map((each) => [each.phone, made.has(each.id) ? 'created' : 'updated'] as const));
  const own = new Set(stored.rows.filter((each) => each.own).map((each) => each.phone));
  const outcomes = phones.map((phone) => touched.get(phone) ?? (own.has(phone) ? 'repeated' : 'present'));
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

async function addAll(client: pg.PoolClient, groupId: string, contactIds: readonly string[]): Promise<void> {
  const group = await client.query({ ...LOCK_GROUP, values: [groupId] });
  if (group.rowCount === 0) throw new ImportInputError('the group was deleted while contacts were added to it');
  const { rowCount } = await client.query({ ...ADD_MEMBERS, values: [groupId, contactIds] });
  await client.query({ ...COUNT_MEMBERS, values: [groupId, rowCount] });
}
