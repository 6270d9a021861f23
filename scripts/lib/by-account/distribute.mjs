// A database whose accounts are spread over parts, by which plans tell where a statement would go on several PostgreSQLs.

/** Into so many parts each table of accounts is divided. */
export const PARTS = 8;

/** Between the name of a table and the number of its part. */
const MARK = '_part_';

/**
 * The tables that belong to the installation and to its carriers, also where a row may name an account: on several PostgreSQLs each has a copy of
 * them, or one has them for all. Every other table without an account is one of what belongs to a message, a channel or a contact.
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
 * @typedef {object} Spread
 * @property {string[]} spread tables whose rows name their account, and `accounts`
 * @property {string[]} lacking tables of what is an account's whose rows do not name it
 * @property {string[]} shared
 * @property {string[]} freed unique keys of the first without the account, which are plain indexes now
 */

/**
 * Puts a table of the same columns that is divided by the account into the place of each one that names it.
 * @param {import('pg').Client} client of a migrated database that nobody needs
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

/** @returns the names of its unique keys that lack the account */
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

/** The column by which a table is divided. @param {string} table */
export const keyOf = (table) => (table === 'accounts' ? 'id' : 'account_id');

/** The number of a part; null for what is none. @param {string} relation */
export function partOf(relation) {
  const at = relation.lastIndexOf(MARK);
  return at === -1 ? null : Number(relation.slice(at + MARK.length));
}
