import type pg from 'pg';
import {
  type CollectedRow,
  type ContactFilter,
  countQuery,
  type ListSizes,
  memberQuery,
  type Page,
  readSizes,
  type Sample,
  type SearchFilter,
  sampleQuery,
  searchFromQuery,
  searchQuery,
  walkQuery,
} from './list-store.js';
import type { ContactRow } from './record.js';

export interface ContactList {
  contacts: ContactRow[];
  total: number;
  /** The total comes from a sample: counting all that match would take too long. */
  estimated: boolean;
}

/** Channels and groups up to this size are read whole for a search: 20 to 30 ms. */
const READ_WHOLE = 20_000;
/** About as many matches are collected and counted one by one: 40 ms. */
const COLLECT_MOST = 40_000;
/** Channels up to this size are counted whole where too many contacts match to collect them: 40 ms. */
const COUNT_WHOLE = 200_000;
/** Where matches are expected no further down the list than this, walking it finds them: 20 ms. */
const WALK_MOST = 20_000;
/** Characters of the groups that contacts are found by. */
const SHORTEST_SEARCH = 3;
/** Contacts of the channel that a sample should see, and the most rows of all channels that it may read for them. */
const SAMPLE_ROWS = 15_000;
const SAMPLE_MOST_READ = 60_000;

/** One snapshot for page and total, and no plan that the guess of how many rows match could spoil. */
const BEGIN = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL max_parallel_workers_per_gather = 0';
const FOR_WALKING = settings({ seqscan: false, bitmapscan: false, sort: false, indexonlyscan: true });
const FOR_COLLECTING = settings({ seqscan: false, bitmapscan: true, sort: true, indexonlyscan: false });

function settings(plans: Record<string, boolean>): string {
  return Object.entries(plans)
    .map(([plan, on]) => `SET LOCAL enable_${plan} = ${on ? 'on' : 'off'}`)
    .join('; ');
}

/**
 * Lists contacts, newest first. Without a term the total is the kept count. With one it is exact, unless the channel has
 * more than 200,000 contacts and about 40,000 or more of them match: then it is an estimate from a sample of some
 * thousand contacts, right to some per cent.
 */
export async function listContacts(pool: pg.Pool, filter: ContactFilter, page: Page): Promise<ContactList> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(BEGIN);
    return await list(client, filter, page);
  } finally {
    // Nothing was written: to end the transaction is all.
    await client.query('ROLLBACK').catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}

async function list(client: pg.PoolClient, filter: ContactFilter, page: Page): Promise<ContactList> {
  const sizes = await readSizes(client, filter);
  if (filter.groupId && sizes.group === null) return { contacts: [], total: 0, estimated: false };
  const { term } = filter;
  if (!term) {
    return { contacts: await walk(client, filter, page), total: sizes.group ?? sizes.channel, estimated: false };
  }
  if (sizes.group !== null && sizes.group <= READ_WHOLE) return await collect(client, memberQuery(filter, page));
  if (sizes.channel <= READ_WHOLE) return await walkAndCount(client, filter, page);

  const inChannel = await sample(client, { ...filter, groupId: undefined }, sizes, page);
  const matches = estimate(inChannel, sizes);
  const isLong = [...term].length >= SHORTEST_SEARCH;
  if (isLong && matches <= COLLECT_MOST) {
    await client.query(FOR_COLLECTING);
    return await collect(client, searchQuery({ ...filter, term }, page));
  }
  if (sizes.channel <= COUNT_WHOLE || matches <= COLLECT_MOST) return await walkAndCount(client, filter, page);
  const found = filter.groupId ? await sample(client, filter, sizes, page) : inChannel;
  const contacts = isLong ? await newest(client, { ...filter, term }, page, found, sizes) : null;
  return withEstimate(contacts ?? (await walk(client, filter, page)), page, estimate(found, sizes));
}

/** A full page of matches whose newest lie far down the list; null where walking the list is as good. */
async function newest(
  client: pg.PoolClient,
  filter: SearchFilter,
  page: Page,
  { seen, first, newer }: Sample,
  sizes: ListSizes,
): Promise<ContactRow[] | null> {
  if (first === null || (newer / seen) * sizes.channel <= WALK_MOST) return null;
  await client.query(FOR_COLLECTING);
  const { rows } = await client.query<ContactRow>(searchFromQuery(filter, first, page));
  return rows.length === page.limit ? rows : null;
}

async function walk(client: pg.PoolClient, filter: ContactFilter, page: Page): Promise<ContactRow[]> {
  await client.query(FOR_WALKING);
  const { rows } = await client.query<ContactRow>(walkQuery(filter, page));
  return rows;
}

async function walkAndCount(client: pg.PoolClient, filter: ContactFilter, page: Page): Promise<ContactList> {
  const contacts = await walk(client, filter, page);
  const known = exactTotal(contacts, page);
  if (known !== null) return { contacts, total: known, estimated: false };
  const { rows } = await client.query<{ total: number }>(countQuery(filter));
  return { contacts, total: rows[0]?.total ?? 0, estimated: false };
}

async function collect(client: pg.PoolClient, query: pg.QueryConfig): Promise<ContactList> {
  const { rows } = await client.query<CollectedRow>(query);
  const contacts = rows.filter((row): row is CollectedRow & ContactRow => row.id !== null);
  return { contacts, total: rows[0]?.total ?? 0, estimated: false };
}

async function sample(client: pg.PoolClient, filter: ContactFilter, sizes: ListSizes, page: Page): Promise<Sample> {
  const wanted = Math.min((SAMPLE_ROWS / sizes.channel) * sizes.table, SAMPLE_MOST_READ);
  const share = Math.min(1, wanted / sizes.table);
  // From the match of this rank on there are about twice as many as the page needs, and hardly ever too few.
  const rank = Math.ceil(2 * (page.offset + page.limit) * share) + 4;
  const { rows } = await client.query<Sample>(sampleQuery(filter, share * 100, rank));
  return rows[0] as Sample;
}

/** About how many contacts match. */
function estimate({ seen, matches }: Sample, sizes: ListSizes): number {
  return seen === 0 ? 0 : Math.round((matches / seen) * sizes.channel);
}

/** A page that is not full tells the total, unless it begins behind the end. */
function exactTotal(contacts: readonly ContactRow[], { limit, offset }: Page): number | null {
  const last = contacts.length < limit && (contacts.length > 0 || offset === 0);
  return last ? offset + contacts.length : null;
}

function withEstimate(contacts: ContactRow[], page: Page, matches: number): ContactList {
  const known = exactTotal(contacts, page);
  if (known !== null) return { contacts, total: known, estimated: false };
  const seen = contacts.length > 0 ? page.offset + contacts.length : 0;
  return { contacts, total: Math.max(matches, seen), estimated: true };
}
