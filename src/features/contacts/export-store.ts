import type pg from 'pg';
import { buildIsNumberSql } from '../../carriers/numbers/user-ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { selectFieldColumns } from './contact-fields-sql.js';
import type { StoredMarks } from './custom/prepare.js';
import { type ContactPerson, MARK_COLUMNS } from './record.js';
import type { Bind } from './search/term-sql.js';

export interface ExportFilter {
  channelId: string;
  groupId: string | null;
  /** A further condition, as SQL about a row `c` of `contacts`. */
  condition?: (bind: Bind) => string;
}

export type ExportedContact = ContactPerson & StoredMarks;

const READ: Statement = {
  name: 'contacts-export',
  text: `SELECT id, phone, user_id AS "userId", username, ${selectFieldColumns()}, ${MARK_COLUMNS} FROM contacts
         WHERE channel_id = $1 AND $2::uuid IS NULL AND id > $3 ORDER BY id LIMIT $4`,
};

const READ_GROUP: Statement = {
  name: 'contacts-export-group',
  text: `SELECT c.id, c.phone, c.user_id AS "userId", c.username, ${selectFieldColumns('c.')}, ${MARK_COLUMNS}
         FROM group_members m JOIN contacts c ON c.id = m.contact_id
         WHERE m.group_id = $2 AND m.contact_id > $3 AND c.channel_id = $1 ORDER BY m.contact_id LIMIT $4`,
};

const HAS_IDS: Statement = {
  name: 'contacts-export-has-ids',
  text: `SELECT EXISTS (SELECT FROM contact_identities WHERE channel_id = $1 AND NOT ${buildIsNumberSql('user_id')}) AS "hasIds"`,
};

const FIND_MARKS: Statement = {
  name: 'contacts-export-marks',
  text: `SELECT ARRAY(SELECT key FROM contact_fields WHERE account_id = h.account_id AND deleted_at IS NULL ORDER BY id) AS keys,
           EXISTS (SELECT FROM contact_tags WHERE account_id = h.account_id) AS "hasTags"
         FROM channels h WHERE h.id = $1`,
};

export interface ExportedMarks {
  /** Keys of the account's fields. */
  keys: readonly string[];
  hasTags: boolean;
}

export async function findExportedMarks(pool: pg.Pool, channelId: string): Promise<ExportedMarks> {
  const { rows } = await pool.query<ExportedMarks>({ ...FIND_MARKS, values: [channelId] });
  return rows[0] ?? { keys: [], hasTags: false };
}

export async function hasUserIds(pool: pg.Pool, channelId: string): Promise<boolean> {
  const { rows } = await pool.query<{ hasIds: boolean }>({ ...HAS_IDS, values: [channelId] });
  return rows[0]?.hasIds ?? false;
}

/** Oldest first. */
export async function readContactsAfter(
  pool: pg.Pool,
  { channelId, groupId, condition }: ExportFilter,
  after: string,
  limit: number,
): Promise<ExportedContact[]> {
  if (condition) return await readMatchesAfter(pool, { channelId, groupId, condition }, after, limit);
  const statement = groupId ? READ_GROUP : READ;
  const { rows } = await pool.query<ExportedContact>({ ...statement, values: [channelId, groupId, after, limit] });
  return rows;
}

async function readMatchesAfter(
  pool: pg.Pool,
  { channelId, groupId, condition }: ExportFilter & { condition: (bind: Bind) => string },
  after: string,
  limit: number,
): Promise<ExportedContact[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const member = groupId
    ? `AND EXISTS (SELECT FROM group_members m WHERE m.group_id = ${bind(groupId)} AND m.contact_id = c.id)`
    : '';
  const text = `
SELECT c.id, c.phone, c.user_id AS "userId", c.username, ${selectFieldColumns('c.')}, ${MARK_COLUMNS} FROM contacts c
WHERE c.channel_id = ${bind(channelId)} AND c.id > ${bind(after)} ${member} AND ${condition(bind)}
ORDER BY c.channel_id, c.id LIMIT ${bind(limit)}`;
  return (await pool.query<ExportedContact>({ text, values })).rows;
}
