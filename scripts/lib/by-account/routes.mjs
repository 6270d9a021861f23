// Determines from a plan on a partitioned database where a statement would run if accounts were spread over several PostgreSQL
// servers.
import { getPartitionKey, PARTITIONS, parsePartitionNumber } from './distribute.mjs';

/**
 * - `one`: on the shard of the account that it names
 * - `rows`: inserts rows, each on the shard of its account, and reads no other rows
 * - `several`: on the shards of the accounts that it names
 * - `each`: on every shard, and joins only rows of the same account
 * - `across`: on every shard, and may join rows of different shards
 * - `key`: has an ON CONFLICT on a key without the account, which would not exist
 * - `no-account`: uses only tables that would need an account ID first
 * - `unknown`: PostgreSQL cannot plan it, or the plan excludes all rows
 * @typedef {'one' | 'rows' | 'several' | 'each' | 'across' | 'key' | 'no-account' | 'unknown'} Route
 *
 * @typedef {object} Statement
 * @property {string} path
 * @property {string} text
 * @property {string} verb
 * @property {string[]} tables with an account ID, or else those that would need one
 * @property {Route} route
 * @property {string} [error]
 */

const STATEMENT_START = /^\s*(?:--.*\n\s*)*(select|insert|update|delete|with|merge)\b/i;
/** Every PostgreSQL has this role, which gets rights on the tables but is subject to row-level security. */
const ROLE = 'pg_monitor';
/** IDs of two accounts that are in different partitions. */
export const ACCOUNTS = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002'];
/** SQLSTATE invalid_column_reference, which means that no unique key matches an ON CONFLICT. */
const NO_KEY = '42P10';

/**
 * Returns the statements on tables of accounts, sorted by source and without duplicates in a source.
 * @param {import('pg').Client} client of a partitioned database
 * @param {import('./distribute.mjs').Tables} tables
 * @param {{ path: string, text: string, values: (string | null)[] }[]} recorded
 * @returns {Promise<Statement[]>}
 */
export async function routeStatements(client, tables, recorded) {
  const samplesByStatement = new Map();
  for (const { path, text, values } of recorded) {
    if (!STATEMENT_START.test(text)) continue;
    const key = `${path} ${text}`;
    if (!samplesByStatement.has(key)) samplesByStatement.set(key, { path, text, samples: [] });
    samplesByStatement.get(key).samples.push(values);
  }
  const statements = [];
  for (const { path, text, samples } of samplesByStatement.values()) {
    const result = await routeStatement(client, tables, text, samples);
    if (result) statements.push({ path, text, ...result });
  }
  return statements.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

async function routeStatement(client, { partitioned, withoutAccount }, text, samples) {
  const tables = findTableNames(text, partitioned);
  const verb = findVerb(text);
  if (tables.length === 0) {
    const tablesWithoutAccount = findTableNames(text, withoutAccount);
    return tablesWithoutAccount.length > 0 ? { verb, tables: tablesWithoutAccount, route: 'no-account' } : null;
  }
  let maxPartitions = 0;
  let inserts = false;
  for (const values of samples) {
    try {
      const plan = await explain(client, text, values);
      maxPartitions = Math.max(maxPartitions, plan.partitions);
      inserts ||= plan.inserts;
    } catch (error) {
      return { verb, tables, route: error.code === NO_KEY ? 'key' : 'unknown', error: error.message };
    }
  }
  if (maxPartitions === PARTITIONS) {
    return { verb, tables, route: (await staysInOnePartition(client, tables, text, samples)) ? 'each' : 'across' };
  }
  if (maxPartitions > 1) return { verb, tables, route: 'several' };
  if (maxPartitions === 1) return { verb, tables, route: 'one' };
  if (inserts) return { verb, tables, route: 'rows' };
  return { verb, tables, route: 'unknown', error: 'no row can match the recorded values' };
}

/** Counts the partitions that the plan of a statement reads, and detects whether it inserts rows. */
async function explain(client, text, values) {
  const { rows } = await client.query({ text: `EXPLAIN (FORMAT JSON) ${text}`, values });
  const result = { partitions: new Set(), inserts: false };
  visitPlan(rows[0]['QUERY PLAN'][0].Plan, result);
  return { partitions: result.partitions.size, inserts: result.inserts };
}

function visitPlan(plan, result) {
  const partition = plan['Relation Name'] ? parsePartitionNumber(plan['Relation Name']) : null;
  if (partition !== null) result.partitions.add(partition);
  if (plan.Operation === 'Insert') result.inserts = true;
  for (const child of plan.Plans ?? []) visitPlan(child, result);
}

/**
 * Returns whether a statement reads only one partition when row-level security shows only one account's rows of one of its
 * tables.
 */
async function staysInOnePartition(client, tables, text, samples) {
  for (const table of tables) {
    let stays = true;
    for (const account of ACCOUNTS) {
      await client.query('BEGIN');
      try {
        await client.query(`
          GRANT ALL ON ALL TABLES IN SCHEMA public TO ${ROLE};
          ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
          CREATE POLICY one_account ON ${table} USING (${getPartitionKey(table)} = '${account}');
          SET LOCAL ROLE ${ROLE}`);
        let maxPartitions = 0;
        for (const values of samples) {
          maxPartitions = Math.max(maxPartitions, (await explain(client, text, values)).partitions);
        }
        // No partition is read if the statement names a different account.
        stays &&= maxPartitions === 1;
      } finally {
        await client.query('ROLLBACK');
      }
    }
    if (stays) return true;
  }
  return false;
}

/** Finds the tables after FROM, JOIN, UPDATE, INTO, USING, or a comma in a list of tables. */
function findTableNames(text, tables) {
  const names = new Set(
    [...text.matchAll(/(?:\b(?:from|join|update|into|using|only)|,)\s+(?:only\s+)?(?:"?public"?\.)?"?(\w+)"?/gi)].map(
      ([, name]) => name,
    ),
  );
  return tables.filter((table) => names.has(table)).sort();
}

/** Returns the writing verbs of a statement, such as `INSERT+UPDATE`, or `SELECT` if the statement only reads. */
function findVerb(text) {
  const candidates = [...text.matchAll(/\b(insert\s+into|update\s+(?:only\s+)?["\w]|delete\s+from)/gi)];
  const writes = candidates.filter(({ index }) => !/\b(for|do|no\s+key|key)\s+$/i.test(text.slice(0, index)));
  return writes.length === 0
    ? 'SELECT'
    : [...new Set(writes.map(([verb]) => verb.split(/\s/)[0].toUpperCase()))].sort().join('+');
}
