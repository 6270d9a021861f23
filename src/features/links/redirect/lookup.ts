import type pg from 'pg';
import type { Clock } from '../../../platform/clock.js';
import { GroupCommit } from '../../../platform/group-commit.js';
import { readIdTime } from '../../../platform/ids.js';
import { ShortCache } from '../../../platform/short-cache.js';
import { isCode } from '../shortening/codes.js';
import { type FoundLink, findLinksByCode } from './lookup-store.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Codes that one statement looks up. */
const BATCH_SIZE = 500;
/** Further visitors get a 503, so that a flood of visits cannot fill the memory. */
const WAITING_LIMIT = 5_000;

export type Visit =
  | { result: 'found'; code: string; target: string }
  | { result: 'unknown' }
  /** The link was deleted, or is about to be deleted, because of the retention of messages. */
  | { result: 'expired' };

export interface LinkLookupOptions {
  pool: pg.Pool;
  clock: Clock;
  /** Days until messages and their links are deleted; 0 keeps them forever. */
  retentionDays: number;
}

/**
 * Finds the targets of codes. Visits at the same time share one statement, and results are cached for a second, so a flood of
 * visits uses one connection per process.
 */
export class LinkLookup {
  readonly #options: LinkLookupOptions;
  readonly #cache = new ShortCache<FoundLink | null>();
  readonly #reads: GroupCommit<string, FoundLink | null>;

  constructor(options: LinkLookupOptions) {
    this.#options = options;
    this.#reads = new GroupCommit({
      batchWeight: BATCH_SIZE,
      waitingLimit: WAITING_LIMIT,
      commit: async (codes) => {
        const links = new Map((await findLinksByCode(options.pool, codes)).map((link) => [link.code, link]));
        return codes.map((code) => links.get(code) ?? null);
      },
    });
  }

  /**
   * @param ownerId the account whose domain was visited, which shows only its own links; null: a domain of the installation
   * @throws {AppError} UNAVAILABLE if too many visitors are waiting
   */
  async find(code: string, ownerId: string | null): Promise<Visit> {
    if (!isCode(code)) return { result: 'unknown' };
    const link = await this.#cache.get(code, () => this.#reads.add(code));
    if (!link || (ownerId !== null && link.accountId !== ownerId)) return { result: 'unknown' };
    if (link.target === null || link.messageId === null || this.#isPastRetention(link.messageId)) {
      return { result: 'expired' };
    }
    return { result: 'found', code, target: link.target };
  }

  waitUntilIdle(): Promise<void> {
    return this.#reads.waitUntilIdle();
  }

  #isPastRetention(messageId: string): boolean {
    const { retentionDays, clock } = this.#options;
    return retentionDays > 0 && clock.now().getTime() - readIdTime(messageId).getTime() > retentionDays * DAY_MS;
  }
}
