import type pg from 'pg';
import { readInTransaction } from '../../platform/store/connections/pool.js';
import { CONTACT_COLUMNS, type ContactRow } from '../contacts/record.js';
import {
  BEGIN_SNAPSHOT,
  buildCountQuery,
  buildSearchQuery,
  buildWalkQuery,
  COLLECT_SETTINGS,
  type CollectedRow,
  type ContactFilter,
  isIndexed,
  type ListSizes,
  readSizes,
  WALK_SETTINGS,
} from '../contacts/search/list-store.js';
import type { AudienceScope } from './audience-store.js';
import { checkCondition } from './audiences.js';
import { toContactFilter } from './contact-filter.js';
import { queryWithin, readConditionSample } from './preview-store.js';

export interface Preview {
  count: number;
  /** Whether the count was computed from a sample, because counting would take too long. */
  isEstimate: boolean;
  /** At most ten contacts; the newest ones, unless the count is an estimate. */
  examples: ContactRow[];
}

export interface PreviewLimits {
  /** Largest channel that is always counted completely. */
  maxReadCompletely: number;
  /** Approximate number of matches up to which the index of tags and values finds all matches. */
  maxCollected: number;
  sampleRows: number;
  /** How long an exact count and the search for examples may take. */
  countMs: number;
  examplesMs: number;
}

const LIMITS: PreviewLimits = {
  maxReadCompletely: 20_000,
  maxCollected: 40_000,
  sampleRows: 15_000,
  countMs: 330,
  examplesMs: 100,
};

const EXAMPLES = { limit: 10, offset: 0 };

/** A scan of the whole channel is faster in parallel. */
const COUNT_SETTINGS = 'SET LOCAL max_parallel_workers_per_gather = 2';

/**
 * Counts the contacts who meet a condition.
 * @param condition as in a request
 * @throws {AppError} INVALID_REQUEST naming every invalid part of the condition
 */
export async function previewCondition(
  { pool }: { pool: pg.Pool },
  scope: AudienceScope,
  condition: unknown,
  now: Date,
  limits: PreviewLimits = LIMITS,
): Promise<Preview> {
  const checked = await checkCondition(pool, scope, condition);
  const filter = await toContactFilter(pool, scope, checked, now);
  const begin = (client: pg.PoolClient) => client.query(BEGIN_SNAPSHOT);
  return await readInTransaction(pool, begin, async (client) => {
    const sizes = await readSizes(client, filter);
    return sizes.channel <= limits.maxReadCompletely
      ? await readCompletely(client, filter)
      : await readWithinLimits(client, filter, sizes, limits);
  });
}

async function readCompletely(client: pg.PoolClient, filter: ContactFilter): Promise<Preview> {
  const counted = await client.query<{ total: number }>(buildCountQuery(filter));
  const { rows: examples } = await client.query<ContactRow>(buildWalkQuery(filter, EXAMPLES));
  return { count: counted.rows[0]?.total ?? 0, isEstimate: false, examples };
}

async function readWithinLimits(
  client: pg.PoolClient,
  filter: ContactFilter,
  sizes: ListSizes,
  { maxCollected, sampleRows, countMs, examplesMs }: PreviewLimits,
): Promise<Preview> {
  const share = Math.min(1, sampleRows / sizes.channel);
  const sample = await readConditionSample(client, filter, { percent: share * 100, examples: EXAMPLES.limit });
  const estimate = sample.seen === 0 ? 0 : Math.round((sample.matches / sample.seen) * sizes.channel);
  const isCollected = isIndexed(filter) && estimate <= maxCollected;
  if (isCollected) {
    const query = buildSearchQuery(filter, EXAMPLES);
    const collected = await queryWithin<CollectedRow>(client, countMs, COLLECT_SETTINGS, query);
    if (collected !== null) {
      const examples = collected.filter((row): row is CollectedRow & ContactRow => row.id !== null);
      return { count: collected[0]?.total ?? 0, isEstimate: false, examples };
    }
  }
  // After a failed attempt, a second one would double the time.
  const counted = isCollected
    ? null
    : await queryWithin<{ total: number }>(client, countMs, COUNT_SETTINGS, buildCountQuery(filter));
  const newest = await queryWithin<ContactRow>(client, examplesMs, WALK_SETTINGS, buildWalkQuery(filter, EXAMPLES));
  const examples = newest ?? (await readContacts(client, sample.ids));
  const count = counted?.[0]?.total ?? Math.max(estimate, examples.length);
  return { count, isEstimate: counted === null, examples };
}

async function readContacts(client: pg.PoolClient, ids: readonly string[]): Promise<ContactRow[]> {
  const text = `SELECT ${CONTACT_COLUMNS} FROM contacts WHERE id = ANY($1::uuid[]) ORDER BY id DESC`;
  return (await client.query<ContactRow>({ text, values: [ids] })).rows;
}
