import type pg from 'pg';
import { CONTACT_COLUMNS, type ContactRow } from '../record.js';
import { hasMarks, hasMarksSql, type MarksFilter, mayHaveMarksSql, toMarksSuffix } from './marks-sql.js';
import {
  type Bind,
  containsTermSql,
  MIN_INDEXED_TERM_LENGTH,
  mayContainTermSql,
  measureShortestText,
  toTermSuffix,
} from './term-sql.js';

export interface ContactFilter extends MarksFilter {
  channelId: string;
  groupId?: string;
  /** Part of the name, number or e-mail address, in upper or lower case. Numbers can have spaces and punctuation. */
  term?: string;
  /** A further condition, as SQL about a row `c` of `contacts`. NULL counts as false. */
  condition?: (bind: Bind) => string;
}

export interface Page {
  limit: number;
  offset: number;
  /** Lists only contacts with lower IDs, at a cost that does not depend on the length of the list. */
  before?: string;
}

export interface ListSizes {
  /** Contacts of the channel. */
  channel: number;
  /** Size of the group, or null if the channel has no such group. */
  group: number | null;
  /** Estimated number of contacts of all channels. */
  table: number;
}

/** The page and the total are read from one snapshot. */
export const BEGIN_SNAPSHOT =
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0';

/** Settings that force the intended query plan, because PostgreSQL cannot estimate how many rows match. */
export const WALK_SETTINGS = buildSettings({ seqscan: false, bitmapscan: false, sort: false, indexonlyscan: true });
export const COLLECT_SETTINGS = buildSettings({ seqscan: false, bitmapscan: true, sort: true, indexonlyscan: false });

function buildSettings(plans: Record<string, boolean>): string {
  return Object.entries(plans)
    .map(([plan, on]) => `SET LOCAL enable_${plan} = ${on ? 'on' : 'off'}`)
    .join('; ');
}

/** Statements of the same shape share a name, so that PostgreSQL prepares them only once. */
export interface Query {
  /** Absent for filters with a condition, which has any shape. */
  name?: string;
  text: string;
  values: unknown[];
}

export async function readSizes(client: pg.PoolClient, { channelId, groupId }: ContactFilter): Promise<ListSizes> {
  const { rows } = await client.query<ListSizes>({
    name: 'contacts-list-sizes',
    text: `
SELECT ch.contact_count AS channel, g.contact_count AS "group",
       greatest(t.reltuples, ch.contact_count)::float8 AS "table"
FROM channels ch
LEFT JOIN contact_groups g ON g.channel_id = ch.id AND g.id = $2
CROSS JOIN pg_class t
WHERE ch.id = $1 AND t.oid = 'contacts'::regclass`,
    values: [channelId, groupId ?? null],
  });
  return rows[0] ?? { channel: 0, group: null, table: 0 };
}

function buildQuery(name: string, { condition }: ContactFilter, sql: (bind: Bind) => string): Query {
  const values: unknown[] = [];
  const text = sql((value) => `$${values.push(value)}`);
  return { ...(!condition && { name }), text, values };
}

/** SQL about a row `c` of `contacts`. */
export function buildConditions({ term, groupId, condition, ...marks }: ContactFilter, bind: Bind): string {
  const holds = term && containsTermSql(term, bind);
  const member =
    groupId && `EXISTS (SELECT FROM group_members m WHERE m.group_id = ${bind(groupId)} AND m.contact_id = c.id)`;
  return [hasMarksSql(marks, bind), holds, member, condition?.(bind)].filter(Boolean).join(' AND ') || 'true';
}

function olderThanSql(before: string | undefined, id: string, bind: Bind): string {
  return before === undefined ? '' : `AND ${id} < ${bind(before)}`;
}

const toPageSuffix = ({ before }: Page) => (before === undefined ? '' : '-before');

/** Short terms do not use the trigram index, so their statements differ. */
const toFilterSuffix = ({ term, groupId, ...marks }: ContactFilter) => {
  const termSuffix = term ? `${toTermSuffix(term)}${canUseIndex(term) ? '' : 's'}` : '';
  return `${termSuffix}${groupId ? '-group' : ''}${toMarksSuffix(marks)}`;
};

/** Scans the index in the order of the list until the page is full, for terms that many contacts match. */
export function buildWalkQuery(filter: ContactFilter, page: Page): Query {
  const { channelId, term, groupId } = filter;
  const { limit, offset, before } = page;
  return buildQuery(`contacts-walk${toFilterSuffix(filter)}${toPageSuffix(page)}`, filter, (bind) => {
    const channel = bind(channelId);
    const ids =
      groupId && !term && !hasMarks(filter) && !filter.condition
        ? `SELECT contact_id AS id FROM group_members WHERE group_id = ${bind(groupId)} ${olderThanSql(before, 'contact_id', bind)}
           ORDER BY group_id DESC, contact_id DESC`
        : `SELECT c.id FROM contacts c WHERE c.channel_id = ${channel} ${olderThanSql(before, 'c.id', bind)} AND ${buildConditions(filter, bind)}
           ORDER BY c.channel_id DESC, c.id DESC`;
    return `
WITH page AS MATERIALIZED (${ids} LIMIT ${bind(limit)} OFFSET ${bind(offset)})
SELECT ${CONTACT_COLUMNS} FROM contacts WHERE id IN (SELECT id FROM page) AND channel_id = ${channel} ORDER BY id DESC`;
  });
}

/**
 * The trigram hashes already include the channel. The channel is compared a second time, in a form that keeps
 * PostgreSQL from using another index.
 */
function buildKeyConditions(filter: ContactFilter, bind: Bind, further = ''): string {
  const channel = bind(filter.channelId);
  const { term } = filter;
  const indexed = [
    term && canUseIndex(term) && mayContainTermSql(term, channel, bind),
    mayHaveMarksSql(filter, channel, bind),
  ].filter(Boolean);
  return `${indexed.join(' AND ')} ${further}
    AND c.channel_id IS NOT DISTINCT FROM ${channel} AND ${buildConditions(filter, bind)}`;
}

/** Whether an index can find candidates. */
export function isIndexed({ term, ...marks }: ContactFilter): boolean {
  return hasMarks(marks) || (term !== undefined && canUseIndex(term));
}

/** Trigram queries need at least three characters. */
function canUseIndex(term: string): boolean {
  return measureShortestText(term) >= MIN_INDEXED_TERM_LENGTH;
}

/** Builds a query for filters that few contacts match. The filter must be indexed. */
export function buildSearchQuery(filter: ContactFilter, page: Page): Query {
  return buildCollectQuery(`contacts-search${toFilterSuffix(filter)}`, filter, page, (bind) => {
    return `SELECT c.id FROM contacts c WHERE ${buildKeyConditions(filter, bind)}`;
  });
}

/** Starts at an ID, for filters that match many old contacts but hardly any new ones. The filter must be indexed. */
export function buildSearchFromQuery(filter: ContactFilter, first: string, { limit, offset }: Page): Query {
  return buildQuery(`contacts-search-from${toFilterSuffix(filter)}`, filter, (bind) => {
    const from = bind(first);
    const newest = `(SELECT n.id FROM contacts n WHERE n.channel_id = ${bind(filter.channelId)}
      ORDER BY n.channel_id DESC, n.id DESC LIMIT 1)`;
    const periods = `AND contact_keys(c.channel_id, c.id, c.search) && contact_periods(${bind(filter.channelId)}, ${from}, ${newest})
      AND (c.id >= ${from}) IS TRUE`;
    return `
WITH page AS MATERIALIZED (
  SELECT c.id FROM contacts c WHERE ${buildKeyConditions(filter, bind, periods)}
  ORDER BY c.id DESC LIMIT ${bind(limit)} OFFSET ${bind(offset)}
)
SELECT ${CONTACT_COLUMNS} FROM contacts WHERE id IN (SELECT id FROM page) ORDER BY id DESC`;
  });
}

/** For small groups. */
export function buildMemberQuery({ groupId, ...filter }: ContactFilter, page: Page): Query {
  const { channelId } = filter;
  return buildCollectQuery(`contacts-members${toFilterSuffix(filter)}`, filter, page, (bind) => {
    return `SELECT c.id FROM group_members m JOIN contacts c ON c.id = m.contact_id
  WHERE m.group_id = ${bind(groupId)} AND c.channel_id = ${bind(channelId)} AND ${buildConditions(filter, bind)}`;
  });
}

/**
 * The query returns at least one row, whose `total` counts all matches and whose other columns are null if no contact
 * is on the page.
 */
function buildCollectQuery(
  name: string,
  filter: ContactFilter,
  page: Page,
  buildFoundSql: (bind: Bind) => string,
): Query {
  const { limit, offset, before } = page;
  return buildQuery(
    `${name}${toPageSuffix(page)}`,
    filter,
    (bind) => `
WITH found AS MATERIALIZED (${buildFoundSql(bind)}),
page AS MATERIALIZED (
  SELECT id FROM found WHERE true ${olderThanSql(before, 'id', bind)} ORDER BY id DESC LIMIT ${bind(limit)} OFFSET ${bind(offset)}
)
SELECT counted.total, contact.*
FROM (SELECT count(*)::int AS total FROM found) counted
LEFT JOIN (SELECT ${CONTACT_COLUMNS} FROM contacts WHERE id IN (SELECT id FROM page)) contact ON true
ORDER BY contact.id DESC`,
  );
}

export type CollectedRow = { total: number } & (ContactRow | { id: null });

export function buildCountQuery(filter: ContactFilter): Query {
  return buildQuery(
    `contacts-count${toFilterSuffix(filter)}`,
    filter,
    (bind) => `
SELECT count(*)::int AS total FROM contacts c
WHERE c.channel_id = ${bind(filter.channelId)} AND ${buildConditions(filter, bind)}`,
  );
}

export interface Sample {
  /** Contacts in the sample. */
  seen: number;
  matches: number;
  /** Contacts in the sample that are at least as new as the match with rank `near`. */
  newer: number | null;
  /** ID of the match with rank `safe`, or null if the sample has too few matches. */
  first: string | null;
}

export interface SampleRanks {
  near: number;
  safe: number;
}

/**
 * Reads a random sample of the table's pages. The sample stays the same, so that the estimated total does not change
 * from page to page.
 * @param percent Share of the table
 */
export function buildSampleQuery(filter: ContactFilter, percent: number, { near, safe }: SampleRanks): Query {
  return buildQuery(`contacts-sample${toFilterSuffix(filter)}`, filter, (bind) => {
    const match = (rank: number) => `(SELECT id FROM hits ORDER BY id DESC LIMIT 1 OFFSET ${bind(rank)})`;
    return `
WITH sample AS MATERIALIZED (
  SELECT c.id, ${buildConditions(filter, bind)} AS hit
  FROM contacts c TABLESAMPLE SYSTEM (${bind(percent)}::float4) REPEATABLE (1)
  WHERE c.channel_id = ${bind(filter.channelId)}
), hits AS MATERIALIZED (SELECT id FROM sample WHERE hit), near AS MATERIALIZED ${match(near)}
SELECT (SELECT count(*) FROM sample)::int AS seen, (SELECT count(*) FROM hits)::int AS matches,
       (SELECT count(*) FROM sample WHERE sample.id >= near.id)::int AS newer, ${match(safe)} AS first
FROM (SELECT 1) one LEFT JOIN near ON true`;
  });
}
