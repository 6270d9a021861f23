// Partitions a database by account. Plans on the partitioned database show where a statement would run if accounts were spread
// over several PostgreSQL servers.

export const PARTITIONS = 8;

/** This text separates the name of a table and the number of its partition. */
const SEPARATOR = '_part_';

/**
 * Tables of which every server would have a copy, because they belong to the installation or to carriers even if a row names an
 * account.
 */
const SHARED = new Set([
  'audit_log',
  'carrier_callbacks',
  'carrier_calls',
  'carrier_reports',
  'carriers',
  'change_history',
  'early_receipts',
  'inbound_parts',
  'kept_reports',
  'oidc_sign_ins',
  'operator_grants',
  'operator_sessions',
  'operators',
  'rate_cards',
  'rates',
  'routes',
  'sign_in_attempts',
  'sign_in_links',
  'unanswered_inbound',
]);

/**
 * @typedef {object} Tables
 * @property {string[]} partitioned tables with an account ID, and `accounts`
 * @property {string[]} withoutAccount tables that belong to accounts but have no account ID
 * @property {string[]} shared
 * @property {string[]} keysWithoutAccount unique keys without the account ID, which became plain indexes
 */

/** @param {import('pg').Client} client of a migrated temporary database @returns {Promise<Tables>} */
export async function partitionByAccount(client) {
  const { rows } = await client.query(`
    SELECT c.relname AS name,
      c.relname = 'accounts' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id') AS "hasKey"
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE '\\_%' ORDER BY c.relname`);
  const keysWithoutAccount = [];
  const accountTables = rows.filter(({ name }) => !SHARED.has(name));
  const partitioned = accountTables.filter(({ hasKey }) => hasKey).map(({ name }) => name);
  for (const name of partitioned) keysWithoutAccount.push(...(await partitionTable(client, name)));
  return {
    partitioned,
    withoutAccount: accountTables.filter(({ hasKey }) => !hasKey).map(({ name }) => name),
    shared: rows.filter(({ name }) => SHARED.has(name)).map(({ name }) => name),
    keysWithoutAccount,
  };
}

/** Partitions a table, and returns the names of its unique keys without the account ID. */
async function partitionTable(client, name) {
  const key = getPartitionKey(name);
  const { rows: indexes } = await client.query(
    `SELECT i.relname AS name, pg_get_indexdef(i.oid) AS definition, x.indisunique AS "isUnique",
       EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = x.indrelid AND a.attname = $2 AND a.attnum = ANY(x.indkey)) AS "hasKey"
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = $1::regclass`,
    [name, key],
  );
  await client.query(`
    ALTER TABLE ${name} RENAME TO whole;
    CREATE TABLE ${name} (LIKE whole INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY) PARTITION BY HASH (${key});
    DROP TABLE whole CASCADE`);
  for (let number = 0; number < PARTITIONS; number += 1) {
    await client.query(
      `CREATE TABLE ${name}${SEPARATOR}${number} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${number})`,
    );
  }
  const keysWithoutAccount = indexes.filter(({ isUnique, hasKey }) => isUnique && !hasKey);
  for (const index of indexes) {
    const definition = index.definition.replace(/ ON public\.\w+/, ` ON public.${name}`);
    await client.query(keysWithoutAccount.includes(index) ? definition.replace('CREATE UNIQUE', 'CREATE') : definition);
  }
  return keysWithoutAccount.map((index) => index.name);
}

/** @param {string} table */
export const getPartitionKey = (table) => (table === 'accounts' ? 'id' : 'account_id');

/**
 * Returns the number of a partition, or null if the relation is not a partition.
 * @param {string} relation
 */
export function parsePartitionNumber(relation) {
  const index = relation.lastIndexOf(SEPARATOR);
  return index === -1 ? null : Number(relation.slice(index + SEPARATOR.length));
}
