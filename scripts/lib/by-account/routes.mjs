// Determines where a statement would run if accounts were spread over several PostgreSQL servers, from its plan on a partitioned database.
import { keyOf, PARTS, partOf } from './distribute.mjs';

/**
 * - `one`: on the shard of the account that it names
 * - `rows`: inserts rows, each on the shard of its account, and reads nothing elsewhere
 * - `several`: on the shards of the accounts that it names
 * - `each`: on every shard, where its rows meet only rows of the same account
 * - `across`: on every shard, and rows of one may meet rows of others, as far as the plan shows
 * - `key`: has an ON CONFLICT on a key without the account, which would not exist
 * - `lacking`: uses only tables that would need an account ID first
 * - `untold`: PostgreSQL cannot plan it there
 * @typedef {'one' | 'rows' | 'several' | 'each' | 'across' | 'key' | 'lacking' | 'untold'} Route
 *
 * @typedef {object} Routed
 * @property {string} path
 * @property {string} text
 * @property {string} verb
 * @property {string[]} tables of accounts, or those that lack the account ID
 * @property {Route} route
 * @property {string} [error]
 */

const BEGINS = /^\s*(?:--.*\n\s*)*(select|insert|update|delete|with|merge)\b/i;
/** A role with rights on the tables that is subject to row-level security. Every PostgreSQL has it. */
const ROLE = 'pg_monitor';
/** Two accounts in different partitions. */
export const ACCOUNTS = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];
/** PostgreSQL finds no key for an ON CONFLICT (invalid_column_reference). */
const NO_KEY = '42P10';

/**
 * @param {import('pg').Client} client of a database that `spreadByAccount` has partitioned
 * @param {import('./distribute.mjs').Spread} spread
 * @param {{ path: string, text: string, values: (string | null)[] }[]} recorded
 * @returns {Promise<Routed[]>} each statement on a table with accounts, once per source, in the recorded order
 */
export async function routesOf(client, spread, recorded) {
  const statements = new Map();
  for (const { path, text, values } of recorded) {
    if (!BEGINS.test(text)) continue;
    const key = `${path} ${text}`;
    if (!statements.has(key)) statements.set(key, { path, text, samples: [] });
    statements.get(key).samples.push(values);
  }
  const routed = [];
  for (const { path, text, samples } of statements.values()) {
    const found = await routeOf(client, spread, text, samples);
    if (found) routed.push({ path, text, ...found });
  }
  return routed.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

async function routeOf(client, spread, text, samples) {
  const tables = namesIn(text, spread.spread);
  const verb = verbOf(text);
  if (tables.length === 0) {
    const lacking = namesIn(text, spread.lacking);
    return lacking.length > 0 ? { verb, tables: lacking, route: 'lacking' } : null;
  }
  const seen = { most: 0, inserts: false };
  for (const values of samples) {
    try {
      const { parts, inserts } = await planOf(client, text, values);
      seen.most = Math.max(seen.most, parts);
      seen.inserts ||= inserts;
    } catch (error) {
      return { verb, tables, route: error.code === NO_KEY ? 'key' : 'untold', error: error.message };
    }
  }
  if (seen.most === PARTS) {
    return { verb, tables, route: (await staysInParts(client, tables, text, samples)) ? 'each' : 'across' };
  }
  if (seen.most > 1) return { verb, tables, route: 'several' };
  if (seen.most === 1) return { verb, tables, route: 'one' };
  if (seen.inserts) return { verb, tables, route: 'rows' };
  return { verb, tables, route: 'untold', error: 'asked with nothing that any row could match' };
}

/** How many partitions the plan reads, and whether it inserts rows. */
async function planOf(client, text, values) {
  const { rows } = await client.query({ text: `EXPLAIN (FORMAT JSON) ${text}`, values });
  const found = { parts: new Set(), inserts: false };
  look(rows[0]['QUERY PLAN'][0].Plan, found);
  return { parts: found.parts.size, inserts: found.inserts };
}

function look(plan, found) {
  const part = plan['Relation Name'] ? partOf(plan['Relation Name']) : null;
  if (part !== null) found.parts.add(part);
  if (plan.Operation === 'Insert') found.inserts = true;
  for (const below of plan.Plans ?? []) look(below, found);
}

/**
 * Whether a statement needs rows of only one partition when one of its tables shows only that account's rows (row-level security). The
 * joins on the account ID then restrict the other tables.
 */
async function staysInParts(client, tables, text, samples) {
  for (const table of tables) {
    let stays = true;
    for (const account of ACCOUNTS) {
      await client.query('BEGIN');
      try {
        await client.query(`
          GRANT ALL ON ALL TABLES IN SCHEMA public TO ${ROLE};
          ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
          CREATE POLICY one_account ON ${table} USING (${keyOf(table)} = '${account}');
          SET LOCAL ROLE ${ROLE}`);
        let most = 0;
        for (const values of samples) most = Math.max(most, (await planOf(client, text, values)).parts);
        // 0 if the statement names another account.
        stays &&= most === 1;
      } finally {
        await client.query('ROLLBACK');
      }
    }
    if (stays) return true;
  }
  return false;
}

/** Those tables that follow FROM, JOIN, UPDATE, INTO, USING or a comma in a list of tables. */
function namesIn(text, tables) {
  const words = new Set(
    [...text.matchAll(/(?:\b(?:from|join|update|into|using|only)|,)\s+(?:only\s+)?(?:"?public"?\.)?"?(\w+)"?/gi)].map(
      ([, name]) => name,
    ),
  );
  return tables.filter((table) => words.has(table)).sort();
}

/** The verb of a statement; with several parts, the last one. */
function verbOf(text) {
  const writes = [...text.matchAll(/\b(insert\s+into|update\s+(?:only\s+)?["\w]|delete\s+from)/gi)];
  const own = writes.filter(({ index }) => !/\b(for|do|no\s+key|key)\s+$/i.test(text.slice(0, index)));
  return own.length === 0
    ? 'SELECT'
    : [...new Set(own.map(([verb]) => verb.split(/\s/)[0].toUpperCase()))].sort().join('+');
}
