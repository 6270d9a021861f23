import type pg from 'pg';
import { readInTransaction } from '../../../platform/store/connections/pool.js';
import type { ContactRow } from '../record.js';
import {
  BEGIN_SNAPSHOT,
  buildCountQuery,
  buildMemberQuery,
  buildSampleQuery,
  buildSearchFromQuery,
  buildSearchQuery,
  buildWalkQuery,
  COLLECT_SETTINGS,
  type CollectedRow,
  type ContactFilter,
  isIndexed,
  type ListSizes,
  type Page,
  type Query,
  readSizes,
  type Sample,
  WALK_SETTINGS,
} from './list-store.js';
import { hasMarks } from './marks-sql.js';

export interface ContactList {
  contacts: ContactRow[];
  total: number;
  estimated: boolean;
}

export interface SearchLimits {
  /** Largest channel or group that is read completely. */
  maxReadCompletely: number;
  /** Approximate number of matches up to which all are collected and counted. */
  maxCollected: number;
  /** Largest channel that is counted completely if there are too many matches to collect. */
  maxCounted: number;
  /** Largest expected number of contacts that are scanned in list order to fill a page. */
  maxWalked: number;
  sampleRows: number;
}

/** A query at one of these limits takes about 20 to 40 ms (docs/develop/store.md). */
const LIMITS: SearchLimits = {
  maxReadCompletely: 20_000,
  maxCollected: 40_000,
  maxCounted: 200_000,
  maxWalked: 20_000,
  sampleRows: 15_000,
};
const SAMPLE_MAX_READ = 60_000;
/** Matches on the same table page are not independent, so the margin covers the rows of three or four pages. */
const SAMPLE_MARGIN = 150;

/**
 * Newest first. The total is estimated, usually within 10 %, if the channel has more than 200,000 contacts of which
 * about 40,000 or more match a term.
 */
export async function listContacts(
  { pool }: { pool: pg.Pool },
  filter: ContactFilter,
  page: Page,
  limits: SearchLimits = LIMITS,
): Promise<ContactList> {
  const begin = (client: pg.PoolClient) => client.query(BEGIN_SNAPSHOT);
  return await readInTransaction(pool, begin, (client) => new Listing(client, filter, page, limits).list());
}

export interface ContactPage extends ContactList {
  next: string | null;
}

/**
 * Later pages cost no more than the first page, unlike with `listContacts`.
 * @param before The `next` of the previous page, or null for the first page.
 */
export async function listContactPage(
  options: { pool: pg.Pool },
  filter: ContactFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<ContactPage> {
  const page = { limit: limit + 1, offset: 0, ...(before !== null && { before }) };
  const { contacts, ...counted } = await listContacts(options, filter, page);
  const visibleContacts = contacts.slice(0, limit);
  return {
    ...counted,
    contacts: visibleContacts,
    next: contacts.length > limit ? (visibleContacts.at(-1)?.id ?? null) : null,
  };
}

/** Lists contacts within one transaction. */
class Listing {
  readonly #client: pg.PoolClient;
  readonly #filter: ContactFilter;
  readonly #page: Page;
  readonly #limits: SearchLimits;

  constructor(client: pg.PoolClient, filter: ContactFilter, page: Page, limits: SearchLimits) {
    this.#client = client;
    this.#filter = filter;
    this.#page = page;
    this.#limits = limits;
  }

  async list(): Promise<ContactList> {
    const sizes = await readSizes(this.#client, this.#filter);
    const { term, groupId, condition } = this.#filter;
    if (groupId && sizes.group === null) return { contacts: [], total: 0, estimated: false };
    if (term || condition || hasMarks(this.#filter)) return await this.#search(this.#filter, sizes);
    return { contacts: await this.#walk(), total: sizes.group ?? sizes.channel, estimated: false };
  }

  async #search(filter: ContactFilter, sizes: ListSizes): Promise<ContactList> {
    const { maxReadCompletely, maxCollected, maxCounted } = this.#limits;
    if (sizes.group !== null && sizes.group <= maxReadCompletely)
      return await this.#collect(buildMemberQuery(filter, this.#page));
    if (sizes.channel <= maxReadCompletely) return await this.#walkAndCount();

    const channelEstimate = await this.#sample({ ...filter, groupId: undefined }, sizes);
    const hasIndex = isIndexed(filter);
    const hasFewMatches = channelEstimate.matches <= maxCollected;
    if (hasFewMatches && hasIndex) return await this.#collect(buildSearchQuery(filter, this.#page));
    if (hasFewMatches || sizes.channel <= maxCounted) return await this.#walkAndCount();

    const estimate = filter.groupId ? await this.#sample(filter, sizes) : channelEstimate;
    const contacts = (hasIndex ? await this.#searchNewest(filter, estimate) : null) ?? (await this.#walk());
    return withEstimate(contacts, this.#page, estimate.matches);
  }

  /** Returns null if scanning the list in order is as fast. */
  async #searchNewest(filter: ContactFilter, { first, depth }: Estimate): Promise<ContactRow[] | null> {
    // Later pages are scanned in order, because their matches follow directly after the previous page.
    if (this.#page.before !== undefined) return null;
    if (first === null || depth === null || depth <= this.#limits.maxWalked) return null;
    await this.#client.query(COLLECT_SETTINGS);
    const { rows } = await this.#client.query<ContactRow>(buildSearchFromQuery(filter, first, this.#page));
    return rows.length === this.#page.limit ? rows : null;
  }

  async #walk(): Promise<ContactRow[]> {
    await this.#client.query(WALK_SETTINGS);
    const { rows } = await this.#client.query<ContactRow>(buildWalkQuery(this.#filter, this.#page));
    return rows;
  }

  async #walkAndCount(): Promise<ContactList> {
    const contacts = await this.#walk();
    const known = computeExactTotal(contacts, this.#page);
    if (known !== null) return { contacts, total: known, estimated: false };
    const { rows } = await this.#client.query<{ total: number }>(buildCountQuery(this.#filter));
    return { contacts, total: rows[0]?.total ?? 0, estimated: false };
  }

  async #collect(query: Query): Promise<ContactList> {
    await this.#client.query(COLLECT_SETTINGS);
    const { rows } = await this.#client.query<CollectedRow>(query);
    const contacts = rows.filter((row): row is CollectedRow & ContactRow => row.id !== null);
    return { contacts, total: rows[0]?.total ?? 0, estimated: false };
  }

  async #sample(filter: ContactFilter, sizes: ListSizes): Promise<Estimate> {
    const rowsToRead = Math.min((this.#limits.sampleRows / sizes.channel) * sizes.table, SAMPLE_MAX_READ);
    const share = Math.min(1, rowsToRead / sizes.table);
    const needed = Math.ceil(2 * (this.#page.offset + this.#page.limit) * share);
    const ranks = { near: needed, safe: needed + SAMPLE_MARGIN };
    const { rows } = await this.#client.query<Sample>(buildSampleQuery(filter, share * 100, ranks));
    const { seen, matches, newer, first } = rows[0] as Sample;
    const toChannelCount = (count: number) => (seen === 0 ? 0 : Math.round((count / seen) * sizes.channel));
    return { matches: toChannelCount(matches), depth: newer === null ? null : toChannelCount(newer), first };
  }
}

interface Estimate {
  matches: number;
  depth: number | null;
  first: string | null;
}

/** The total is known if the page is not full, because the page then contains the last match. */
function computeExactTotal(contacts: readonly ContactRow[], { limit, offset, before }: Page): number | null {
  if (before !== undefined) return null;
  const isLastPage = contacts.length < limit && (contacts.length > 0 || offset === 0);
  return isLastPage ? offset + contacts.length : null;
}

function withEstimate(contacts: ContactRow[], page: Page, matches: number): ContactList {
  const known = computeExactTotal(contacts, page);
  if (known !== null) return { contacts, total: known, estimated: false };
  // The total exceeds the number of contacts read, so that a caller who pages up to the total does not stop early.
  const { limit, offset } = page;
  const total = contacts.length > 0 ? Math.max(matches, offset + limit + 1) : Math.min(matches, offset);
  return { contacts, total, estimated: true };
}
