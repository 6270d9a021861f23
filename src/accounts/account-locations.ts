import { LRUCache } from 'lru-cache';
import type { Statement } from '../platform/store/connections/pool.js';

const MAX_KNOWN = 10_000;
const MAX_SKIPS = 64;

interface KnownLocation {
  /** The row's `ctid`. */
  location: string;
  misses: number;
  skips: number;
}

export interface LocatedStatement {
  byId: Statement;
  atLocation: Statement;
}

export function buildLocatedQuery(
  { byId, atLocation }: LocatedStatement,
  values: readonly unknown[],
  location: string | undefined,
) {
  return location === undefined ? { ...byId, values: [...values] } : { ...atLocation, values: [...values, location] };
}

export interface LocatedResult<Answer> {
  answer: Answer;
  isAtLocation: boolean;
  /** `location` is null if the statement did not change the row. */
  location: string | null;
}

/**
 * Finds account rows by their `ctid`, because a lookup by ID visits every row version that PostgreSQL still keeps. A location
 * that was wrong repeatedly is skipped for a while, because other processes are probably changing the account too.
 */
export class AccountLocations {
  readonly #locations = new LRUCache<string, KnownLocation>({ max: MAX_KNOWN });

  async find<Answer>(accountId: string, run: (location?: string) => Promise<LocatedResult<Answer>>): Promise<Answer> {
    const location = this.#locationToTry(accountId);
    const atLocation = location === undefined ? null : await run(location);
    const outcome = atLocation?.isAtLocation ? atLocation : await run();
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

  #remember(accountId: string, location: string, wasRight: boolean | null): void {
    const previous = this.#locations.get(accountId) ?? { misses: 0, skips: 0 };
    const misses = wasRight === null ? previous.misses : wasRight ? 0 : previous.misses + 1;
    const skips = wasRight === false ? Math.min(MAX_SKIPS, 2 ** misses - 1) : previous.skips;
    this.#locations.set(accountId, { location, misses, skips });
  }
}
