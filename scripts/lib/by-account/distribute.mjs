// A database with accounts spread over partitions, whose plans show where a statement would go on several PostgreSQL servers.

/** Number of partitions per table. */
export const PARTS = 8;

/** Between the name of a table and the number of its partition. */
const MARK = '_part_';

/** Tables of the installation and its carriers, even if a row may name an account. With several servers, each has a copy. */
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
 * @typedef {object} Spread
 * @property {string[]} spread tables with an account ID, and `accounts`
 * @property {string[]} lacking tables that belong to accounts but have no account ID
 * @property {string[]} shared
 * @property {string[]} freed unique keys without the account ID, which became plain indexes
 */

/**
 * Replaces each table with an account ID by one with the same columns, partitioned by account.
 * @param {import('pg').Client} client of a migrated temporary database
 * @returns {Promise<Spread>}
 */
export async function spreadByAccount(client) {
  const { rows } = await client.query(`
    SELECT c.relname AS name,
      c.relname = 'accounts' OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'account_id') AS "hasKey"
    FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE '\\_%' ORDER BY c.relname`);
  const freed = [];
  const own = rows.filter(({ name }) => !SHARED.has(name));
  const spread = own.filter(({ hasKey }) => hasKey).map(({ name }) => name);
  for (const name of spread) freed.push(...(await divide(client, name)));
  return {
    spread,
    lacking: own.filter(({ hasKey }) => !hasKey).map(({ name }) => name),
    shared: rows.filter(({ name }) => SHARED.has(name)).map(({ name }) => name),
    freed,
  };
}

/** @returns the names of its unique keys without the account ID */
async function divide(client, name) {
  const key = keyOf(name);
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
  for (let part = 0; part < PARTS; part += 1) {
    await client.query(
      `CREATE TABLE ${name}${MARK}${part} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${PARTS}, REMAINDER ${part})`,
    );
  }
  const loose = indexes.filter(({ isUnique, hasKey }) => isUnique && !hasKey);
  for (const index of indexes) {
    const definition = index.definition.replace(/ ON public\.\w+/, ` ON public.${name}`);
    await client.query(loose.includes(index) ? definition.replace('CREATE UNIQUE', 'CREATE') : definition);
  }
  return loose.map((index) => index.name);
}

/** The partition key of a table. @param {string} table */
export const keyOf = (table) => (table === 'accounts' ? 'id' : 'account_id');

/** The number of a partition, or null for another relation. @param {string} relation */
export function partOf(relation) {
  const at = relation.lastIndexOf(MARK);
  return at === -1 ? null : Number(relation.slice(at + MARK.length));
}
