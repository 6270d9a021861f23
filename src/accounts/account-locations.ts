import { LRUCache } from 'lru-cache';
import type { Statement } from '../platform/store/connections/pool.js';

/** More accounts than send at the same time. */
const MAX_KNOWN = 10_000;
/** Maximum number of changes that are found by ID after a location was wrong repeatedly. */
const MAX_SKIPS = 64;

interface KnownLocation {
  /** The row's `ctid`. */
  location: string;
  /** Wrong guesses in a row. */
  misses: number;
  /** Changes that still skip the location. */
  skips: number;
}

/**
 * A statement that finds an account by ID, and its variant that finds it at a row location, the last of its values.
 */
export interface LocatedStatement {
  byId: Statement;
  atLocation: Statement;
}

export function locatedQuery(
  { byId, atLocation }: LocatedStatement,
  values: readonly unknown[],
  location: string | undefined,
) {
  return location === undefined ? { ...byId, values: [...values] } : { ...atLocation, values: [...values, location] };
}

/** The result of a statement that changes balances. */
export interface LocatedResult<Answer> {
  answer: Answer;
  /** Whether the account was found. If not, the statement is repeated by ID. */
  isThere: boolean;
  /** The new row location; null if the row was not changed. */
  location: string | null;
}

/**
 * Remembers where the rows of accounts were when this process last changed their balances. By ID, PostgreSQL visits
 * every version of the row that it still keeps, and a snapshot that stays open for an hour keeps a hundred thousand. If
 * other processes change the account too, the location is usually wrong, and is skipped for a while.
 */
export class AccountLocations {
  readonly #locations = new LRUCache<string, KnownLocation>({ max: MAX_KNOWN });

  /**
   * Runs a statement at the known row location, if there is one, and by ID if the row was not there.
   * @param run runs the statement at the location, or by ID without one
   */
  async find<Answer>(accountId: string, run: (location?: string) => Promise<LocatedResult<Answer>>): Promise<Answer> {
    const location = this.#locationToTry(accountId);
    const atLocation = location === undefined ? null : await run(location);
    const outcome = atLocation?.isThere ? atLocation : await run();
    if (outcome.location !== null)
      this.#remember(accountId, outcome.location, location === undefined ? null : outcome === atLocation);
    return outcome.answer;
  }

  #locationToTry(accountId: string): string | undefined {
    const entry = this.#locations.get(accountId);
    if (entry && entry.skips === 0) return entry.location;
    if (entry) entry.skips--;
    return undefined;
  }

  /** @param wasRight null if no location was tried */
  #remember(accountId: string, location: string, wasRight: boolean | null): void {
    const previous = this.#locations.get(accountId) ?? { misses: 0, skips: 0 };
    const misses = wasRight === null ? previous.misses : wasRight ? 0 : previous.misses + 1;
    const skips = wasRight === false ? Math.min(MAX_SKIPS, 2 ** misses - 1) : previous.skips;
    this.#locations.set(accountId, { location, misses, skips });
  }
}
