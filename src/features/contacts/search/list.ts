import type pg from 'pg';
import { readInTransaction } from '../../../platform/store/connections/pool.js';
import type { ContactRow } from '../record.js';
import {
  BEGIN,
  type CollectedRow,
  type ContactFilter,
  countQuery,
  FOR_COLLECTING,
  FOR_WALKING,
  type ListSizes,
  memberQuery,
  type Page,
  type Query,
  readSizes,
  type Sample,
  sampleQuery,
  searchFromQuery,
  searchQuery,
  type TermFilter,
  walkQuery,
} from './list-store.js';
import { SHORTEST_KEYED_TERM, termLength } from './term-sql.js';

export interface ContactList {
  contacts: ContactRow[];
  total: number;
  estimated: boolean;
}

export interface SearchLimits {
  /** Channels and groups up to this size are read completely. */
  readWhole: number;
  /** Up to about this many matches are collected and counted. */
  collectMost: number;
  /** Size of the largest channel to count completely if there are too many matches to collect. */
  countWhole: number;
  /** The list is walked if matches are expected within this many contacts. */
  walkMost: number;
  sampleRows: number;
}

/** Reading up to each of these limits takes about 20 to 40 ms (docs/store.md). */
const LIMITS: SearchLimits = {
  readWhole: 20_000,
  collectMost: 40_000,
  countWhole: 200_000,
  walkMost: 20_000,
  sampleRows: 15_000,
};
const SAMPLE_MAX_READ = 60_000;
/** Matches within a table page are not independent, so the margin covers three or four pages. */
const SAMPLE_MARGIN = 150;

/**
 * Newest first. The total is exact, unless the channel has more than 200,000 contacts of which about 40,000 or more
 * match a term. Then it is estimated, usually within 10 %.
 */
export async function listContacts(
  { pool }: { pool: pg.Pool },
  filter: ContactFilter,
  page: Page,
  limits: SearchLimits = LIMITS,
): Promise<ContactList> {
  const begin = (client: pg.PoolClient) => client.query(BEGIN);
  return await readInTransaction(pool, begin, (client) => new Listing(client, filter, page, limits).list());
}

export interface ContactPage extends ContactList {
  next: string | null;
}

/**
 * Later pages cost no more than the first, unlike those of `listContacts`.
 * @param before `next` of the previous page; null for the first page
 */
export async function pageContacts(
  options: { pool: pg.Pool },
  filter: ContactFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<ContactPage> {
  const page = { limit: limit + 1, offset: 0, ...(before !== null && { before }) };
  const { contacts, ...counted } = await listContacts(options, filter, page);
  const shown = contacts.slice(0, limit);
  return { ...counted, contacts: shown, next: contacts.length > limit ? (shown.at(-1)?.id ?? null) : null };
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
    const { term, groupId } = this.#filter;
    if (groupId && sizes.group === null) return { contacts: [], total: 0, estimated: false };
    if (term) return await this.#search({ ...this.#filter, term }, sizes);
    return { contacts: await this.#walk(), total: sizes.group ?? sizes.channel, estimated: false };
  }

  async #search(filter: TermFilter, sizes: ListSizes): Promise<ContactList> {
    const { readWhole, collectMost, countWhole } = this.#limits;
    if (sizes.group !== null && sizes.group <= readWhole) return await this.#collect(memberQuery(filter, this.#page));
    if (sizes.channel <= readWhole) return await this.#walkAndCount();

    const inChannel = await this.#sample({ ...filter, groupId: undefined }, sizes);
    const isLong = termLength(filter.term) >= SHORTEST_KEYED_TERM;
    const few = inChannel.matches <= collectMost;
    if (few && isLong) return await this.#collect(searchQuery(filter, this.#page));
    if (few || sizes.channel <= countWhole) return await this.#walkAndCount();

    const found = filter.groupId ? await this.#sample(filter, sizes) : inChannel;
    const contacts = (isLong ? await this.#newest(filter, found) : null) ?? (await this.#walk());
    return withEstimate(contacts, this.#page, found.matches);
  }

  /** Null if walking the list is as fast. */
  async #newest(filter: TermFilter, { first, depth }: Estimate): Promise<ContactRow[] | null> {
    // Matches of later pages follow directly after the previous page.
    if (this.#page.before !== undefined) return null;
    if (first === null || depth === null || depth <= this.#limits.walkMost) return null;
    await this.#client.query(FOR_COLLECTING);
    const { rows } = await this.#client.query<ContactRow>(searchFromQuery(filter, first, this.#page));
    return rows.length === this.#page.limit ? rows : null;
  }

  async #walk(): Promise<ContactRow[]> {
    await this.#client.query(FOR_WALKING);
    const { rows } = await this.#client.query<ContactRow>(walkQuery(this.#filter, this.#page));
    return rows;
  }

  async #walkAndCount(): Promise<ContactList> {
    const contacts = await this.#walk();
    const known = exactTotal(contacts, this.#page);
    if (known !== null) return { contacts, total: known, estimated: false };
    const { rows } = await this.#client.query<{ total: number }>(countQuery(this.#filter));
    return { contacts, total: rows[0]?.total ?? 0, estimated: false };
  }

  async #collect(query: Query): Promise<ContactList> {
    await this.#client.query(FOR_COLLECTING);
    const { rows } = await this.#client.query<CollectedRow>(query);
    const contacts = rows.filter((row): row is CollectedRow & ContactRow => row.id !== null);
    return { contacts, total: rows[0]?.total ?? 0, estimated: false };
  }

  async #sample(filter: ContactFilter, sizes: ListSizes): Promise<Estimate> {
    const wanted = Math.min((this.#limits.sampleRows / sizes.channel) * sizes.table, SAMPLE_MAX_READ);
    const share = Math.min(1, wanted / sizes.table);
    const needed = Math.ceil(2 * (this.#page.offset + this.#page.limit) * share);
    const ranks = { near: needed, safe: needed + SAMPLE_MARGIN };
    const { rows } = await this.#client.query<Sample>(sampleQuery(filter, share * 100, ranks));
    const { seen, matches, newer, first } = rows[0] as Sample;
    const inChannel = (count: number) => (seen === 0 ? 0 : Math.round((count / seen) * sizes.channel));
    return { matches: inChannel(matches), depth: newer === null ? null : inChannel(newer), first };
  }
}

interface Estimate {
  matches: number;
  depth: number | null;
  first: string | null;
}

/** A page that is not full contains the last match. */
function exactTotal(contacts: readonly ContactRow[], { limit, offset, before }: Page): number | null {
  if (before !== undefined) return null;
  const last = contacts.length < limit && (contacts.length > 0 || offset === 0);
  return last ? offset + contacts.length : null;
}

function withEstimate(contacts: ContactRow[], page: Page, matches: number): ContactList {
  const known = exactTotal(contacts, page);
  if (known !== null) return { contacts, total: known, estimated: false };
  // A caller that pages up to the total must not stop after a full page, so the total is more than was read.
  const { limit, offset } = page;
  const total = contacts.length > 0 ? Math.max(matches, offset + limit + 1) : Math.min(matches, offset);
  return { contacts, total, estimated: true };
}
