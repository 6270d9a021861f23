import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import { CONTACT_FIELD_NAMES, type ContactFieldValues } from '../contact-fields.js';
import { forEachField, listFieldColumns, listFieldParameters } from '../contact-fields-sql.js';
import type { ChannelScope } from './identity-store.js';
import { portfolioSql } from './portfolio-sql.js';

export interface ImportedPerson extends ContactFieldValues {
  id: string;
  phone: string | null;
  userId: string;
}

const toColumns = (people: readonly ImportedPerson[]) =>
  (['id', 'phone', 'userId', ...CONTACT_FIELD_NAMES] as const).map((column) => people.map((person) => person[column]));

const unnestPeopleSql = (first: number, alias: string) =>
  `unnest($${first}::uuid[], $${first + 1}::text[], $${first + 2}::text[], ${listFieldParameters(first + 3, '::text[]')})
   AS ${alias}(id, phone, user_id, ${listFieldColumns()})`;

const INSERT: Statement = {
  name: 'identities-import',
  text: `
INSERT INTO contacts (id, account_id, channel_id, phone, user_id, ${listFieldColumns()}, created_at, updated_at)
SELECT i.id, $1, $2, i.phone, i.user_id, ${listFieldColumns('i.')}, $3, $3
FROM ${unnestPeopleSql(4, 'i')} ORDER BY i.phone, i.user_id
ON CONFLICT (channel_id, phone) DO NOTHING RETURNING id`,
};

/**
 * The caller must have locked the IDs and checked that no contact has any of the user IDs. Returns the inserted IDs,
 * without those of people whose number another transaction has just inserted.
 */
export async function insertPeople(
  client: pg.PoolClient,
  { accountId, channelId }: ChannelScope,
  people: readonly ImportedPerson[],
  at: Date,
): Promise<Set<string>> {
  const values = [accountId, channelId, at, ...toColumns(people)];
  const { rows } = await client.query<{ id: string }>({ ...INSERT, values });
  return new Set(rows.map(({ id }) => id));
}

const UPDATE: Statement = {
  name: 'identities-import-update',
  text: `
UPDATE contacts c SET phone = i.phone, user_id = i.user_id, ${forEachField((name) => `${name} = i.${name}`)}, updated_at = $1
FROM (SELECT input.id, coalesce(k.phone, input.phone) AS phone, coalesce(k.user_id, input.user_id) AS user_id,
        ${forEachField((name) => `coalesce(nullif(input.${name}, ''), k.${name}) AS ${name}`)}
      FROM ${unnestPeopleSql(2, 'input')} JOIN contacts k ON k.id = input.id) i
WHERE c.id = i.id
  AND (c.phone, c.user_id, ${listFieldColumns('c.')}) IS DISTINCT FROM (i.phone, i.user_id, ${listFieldColumns('i.')})
RETURNING c.id`,
};

/**
 * An empty field leaves the stored value unchanged, and a contact keeps its existing phone number or user ID.
 * @returns IDs of changed contacts
 */
export async function updatePeople(
  client: pg.PoolClient,
  people: readonly ImportedPerson[],
  at: Date,
): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>({ ...UPDATE, values: [at, ...toColumns(people)] });
  return new Set(rows.map(({ id }) => id));
}

const ASSIGN_USER_IDS: Statement = {
  name: 'identities-import-note',
  text: `INSERT INTO contact_identities (channel_id, portfolio, user_id, is_parent, contact_id, since)
         SELECT $1, ${portfolioSql('$1')}, input.user_id, false, input.contact_id, $2
         FROM unnest($3::text[], $4::uuid[]) AS input(user_id, contact_id) ORDER BY input.user_id
         ON CONFLICT (channel_id, portfolio, user_id) DO NOTHING`,
};

export async function assignUserIds(
  client: pg.PoolClient,
  channelId: string,
  people: readonly ImportedPerson[],
  at: Date,
): Promise<void> {
  if (people.length === 0) return;
  const values = [channelId, at, people.map(({ userId }) => userId), people.map(({ id }) => id)];
  await client.query({ ...ASSIGN_USER_IDS, values });
}

const FIND_CHANGED_BY_IMPORT: Statement = {
  name: 'identities-import-own',
  text: 'SELECT id FROM contacts WHERE id = ANY($1::uuid[]) AND (created_at = $2 OR updated_at = $2)',
};

export async function findChangedByImport(
  client: pg.PoolClient,
  ids: readonly string[],
  startedAt: Date,
): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>({ ...FIND_CHANGED_BY_IMPORT, values: [ids, startedAt] });
  return new Set(rows.map(({ id }) => id));
}
