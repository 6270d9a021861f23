import { LRUCache } from 'lru-cache';
import type { Statement } from '../platform/store/connections/pool.js';

/** Accounts of which is known where their row lies: more than send at a time. */
const KNOWN = 10_000;
/** Moves for which a place is not asked, at the most, after it was wrong again and again. */
const LONGEST_REST = 64;

interface Place {
  /** A `ctid` of PostgreSQL. */
  place: string;
  /** How often it was wrong since it was right. */
  misses: number;
  /** Moves that are still to be made by the id. */
  rest: number;
}

/** A statement that finds an account by its id, and the same at a place, which is the last of its values. */
export interface PlacedStatement {
  byId: Statement;
  atPlace: Statement;
}

/** What to ask, with values. */
export function askedAt({ byId, atPlace }: PlacedStatement, values: readonly unknown[], place: string | undefined) {
  return place === undefined ? { ...byId, values: [...values] } : { ...atPlace, values: [...values, place] };
}

/** What a statement that moves balances found. */
export interface Found<Answer> {
  answer: Answer;
  /** The account's row was there, so there is nothing to ask by its id. */
  isThere: boolean;
  /** Where it lies now; null where it was not moved. */
  place: string | null;
}

/**
 * Where the rows of accounts lay when this process last moved their balances. Found by its id, a row is the last of all versions
 * that PostgreSQL keeps, and a snapshot that stays open for an hour keeps a hundred thousand. Where others move an account as
 * well, it mostly lies elsewhere, and is asked for by its id at once.
 */
export class AccountPlaces {
  readonly #known = new LRUCache<string, Place>({ max: KNOWN });

  /**
   * Asks for an account at its place, if one is known, and by its id unless it was there.
   * @param ask with a place, or without one
   */
  async find<Answer>(accountId: string, ask: (place?: string) => Promise<Found<Answer>>): Promise<Answer> {
    const place = this.#toAsk(accountId);
    const there = place === undefined ? null : await ask(place);
    const found = there?.isThere ? there : await ask();
    if (found.place !== null) this.#learn(accountId, found.place, place === undefined ? null : found === there);
    return found.answer;
  }

  #toAsk(accountId: string): string | undefined {
    const known = this.#known.get(accountId);
    if (known && known.rest === 0) return known.place;
    if (known) known.rest--;
    return undefined;
  }

  /** @param wasRight null where no place was asked */
  #learn(accountId: string, place: string, wasRight: boolean | null): void {
    const before = this.#known.get(accountId) ?? { misses: 0, rest: 0 };
    const misses = wasRight === null ? before.misses : wasRight ? 0 : before.misses + 1;
    const rest = wasRight === false ? Math.min(LONGEST_REST, 2 ** misses - 1) : before.rest;
    this.#known.set(accountId, { place, misses, rest });
  }
}
