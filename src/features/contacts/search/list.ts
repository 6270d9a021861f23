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
  /** The total comes from a sample: counting all that match would take too long. */
  estimated: boolean;
}

/** Where one way to search is left for another. */
export interface SearchLimits {
  /** Channels and groups up to this size are read whole. */
  readWhole: number;
  /** About as many matches are collected and counted one by one. */
  collectMost: number;
  /** Channels up to this size are counted whole where too many contacts match to collect them. */
  countWhole: number;
  /** Where matches are expected no further down the list than this, walking it finds them. */
  walkMost: number;
  /** Contacts of the channel that a sample should see. */
  sampleRows: number;
}

/** Each is about 20 to 40 ms of work (docs/store.md). */
const LIMITS: SearchLimits = {
  readWhole: 20_000,
  collectMost: 40_000,
  countWhole: 200_000,
  walkMost: 20_000,
  sampleRows: 15_000,
};
/** The most rows of all channels that a sample may read. */
const SAMPLE_MAX_READ = 60_000;
/** A sample holds whole pages of the table: matches of three or four of them, for those of one tell as much as one. */
const SAMPLE_MARGIN = 150;

/**
 * Lists contacts, newest first. Without a term the total is the kept count. With one it is exact, unless the channel has
 * more than 200,000 contacts and about 40,000 or more of them match: then it is an estimate from a sample of some
 * thousand contacts, seldom more than a tenth beside the truth.
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

/** A page of a list that is read by key. */
export interface ContactPage extends ContactList {
  /** `before` of the next page; null on the last one. */
  next: string | null;
}

/**
 * Lists contacts as `listContacts` does, page by page by key, so that a page far down costs what the first one does.
 * @param before the `next` of the page before; null for the first page
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

/** One list in the making, within its transaction. */
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

  /** A full page of matches of which the newest lie far down the list; null where walking the list is as good. */
  async #newest(filter: TermFilter, { first, depth }: Estimate): Promise<ContactRow[] | null> {
    // Behind the first page the matches are where the page before ended.
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
    // So many of the sample's matches stand for twice as many contacts as the page needs.
    const needed = Math.ceil(2 * (this.#page.offset + this.#page.limit) * share);
    const ranks = { near: needed, safe: needed + SAMPLE_MARGIN };
    const { rows } = await this.#client.query<Sample>(sampleQuery(filter, share * 100, ranks));
    const { seen, matches, newer, first } = rows[0] as Sample;
    const inChannel = (count: number) => (seen === 0 ? 0 : Math.round((count / seen) * sizes.channel));
    return { matches: inChannel(matches), depth: newer === null ? null : inChannel(newer), first };
  }
}

/** What a sample lets expect of the whole channel. */
interface Estimate {
  matches: number;
  /** How far down the list the page is full; null when the sample has too few matches to tell. */
  depth: number | null;
  /** From this contact on there are surely enough matches; null when the sample has too few to tell. */
  first: string | null;
}

/** A page that is not full tells the total, unless it begins behind the end. */
function exactTotal(contacts: readonly ContactRow[], { limit, offset, before }: Page): number | null {
  if (before !== undefined) return null;
  const last = contacts.length < limit && (contacts.length > 0 || offset === 0);
  return last ? offset + contacts.length : null;
}

function withEstimate(contacts: ContactRow[], page: Page, matches: number): ContactList {
  const known = exactTotal(contacts, page);
  if (known !== null) return { contacts, total: known, estimated: false };
  // More may follow a full page: a caller that pages while the offset is below the total must not stop before a page that is not.
  const { limit, offset } = page;
  const total = contacts.length > 0 ? Math.max(matches, offset + limit + 1) : Math.min(matches, offset);
  return { contacts, total, estimated: true };
}
