import type pg from 'pg';
import { buildConditions, type ContactFilter, type Query } from '../contacts/search/list-store.js';

export interface ConditionSample {
  /** Contacts in the sample. */
  seen: number;
  matches: number;
  /** Newest matches of the sample, at most as many as requested. */
  ids: string[];
}

/**
 * Reads a random sample of the table's pages. The sample stays the same, so that similar conditions get similar estimates.
 * @param percent share of the table
 */
export async function readConditionSample(
  client: pg.PoolClient,
  filter: ContactFilter,
  { percent, examples }: { percent: number; examples: number },
): Promise<ConditionSample> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const text = `
SELECT count(*)::int AS seen, count(*) FILTER (WHERE hit)::int AS matches,
  coalesce((array_agg(id ORDER BY id DESC) FILTER (WHERE hit))[1:${bind(examples)}::int], '{}') AS ids
FROM (SELECT c.id, ${buildConditions(filter, bind)} AS hit
      FROM contacts c TABLESAMPLE SYSTEM (${bind(percent)}::float4) REPEATABLE (1)
      WHERE c.channel_id = ${bind(filter.channelId)}) AS sample`;
  const { rows } = await client.query<ConditionSample>({ text, values });
  return rows[0] as ConditionSample;
}

/** Raised by `statement_timeout`. */
const QUERY_CANCELED = '57014';

/** Returns null if the query takes too long. The transaction can continue. */
export async function queryWithin<T extends pg.QueryResultRow>(
  client: pg.PoolClient,
  limitMs: number,
  settings: string,
  query: Query,
): Promise<T[] | null> {
  await client.query(`SAVEPOINT attempt; SET LOCAL statement_timeout = ${limitMs}; ${settings}`);
  try {
    const { rows } = await client.query<T>(query);
    return rows;
  } catch (error) {
    if ((error as { code?: unknown }).code !== QUERY_CANCELED) throw error;
    return null;
  } finally {
    // Also restores the settings.
    await client.query('ROLLBACK TO SAVEPOINT attempt');
  }
}
