import type { LockedAccounts } from '../../accounts/locked-accounts.js';
import type { BackgroundStoreOptions } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { GroupCommit } from '../../platform/group-commit.js';
import { retryUntilKnown } from '../../platform/store/repeat.js';
import { endMessages } from './end-store.js';
import type { EndEvent } from './events.js';

const MAX_WAITING = 10_000;
const BATCH_EVENTS = 1_000;
const REPEAT_PAUSE_MS = 200;

export interface HeldEndsOptions extends BackgroundStoreOptions {
  clock: Clock;
  lockedAccounts: LockedAccounts;
  isStopping(): boolean;
  /** Called after a commit with its events, the messages that were ended, and their accounts. */
  onEnded(events: readonly EndEvent[], ids: ReadonlySet<string>, accounts: ReadonlySet<string>): void;
}

/**
 * Ends the messages of locked accounts. The statement that ends a message also refunds it, so it must wait until the
 * account is free.
 */
export class HeldEnds {
  readonly #options: HeldEndsOptions;
  readonly #lanes = new Map<string, GroupCommit<EndEvent, boolean>>();
  #waiting = 0;

  constructor(options: HeldEndsOptions) {
    this.#options = options;
  }

  async write(event: EndEvent, accountId: string, onHeld?: () => void): Promise<boolean> {
    if (this.#waiting < MAX_WAITING) onHeld?.();
    this.#waiting += 1;
    const lane = this.#lane(accountId);
    try {
      return await lane.add(event);
    } finally {
      this.#waiting -= 1;
      if (lane.waitingWeight === 0) this.#lanes.delete(accountId);
    }
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
  }

  /** The leases of the messages expire, and another process takes over. */
  giveUp(): void {
    this.#options.lockedAccounts.giveUp();
  }

  #lane(accountId: string): GroupCommit<EndEvent, boolean> {
    const existing = this.#lanes.get(accountId);
    if (existing) return existing;
    const { lockedAccounts, log, isStopping } = this.#options;
    const commit = async (batch: readonly EndEvent[]): Promise<readonly (boolean | Error)[]> => {
      try {
        // Safe to repeat: the statement no longer matches a message that it has ended.
        return await retryUntilKnown(
          () => lockedAccounts.runInTurn(accountId, (lockMs) => this.#end(batch, lockMs), Number.POSITIVE_INFINITY),
          {
            pauseMs: REPEAT_PAUSE_MS,
            isStopping,
            onFailure: (error) => log.warn({ err: error, accountId }, 'cannot write final statuses, retrying'),
          },
        );
      } catch (error) {
        if (batch.length === 1 || isStopping()) return batch.map(() => error as Error);
        const results: (boolean | Error)[] = [];
        for (const event of batch) results.push(...(await commit([event])));
        return results;
      }
    };
    const lane = new GroupCommit<EndEvent, boolean>({
      commit: (batch) => commit(batch),
      batchWeight: BATCH_EVENTS,
    });
    this.#lanes.set(accountId, lane);
    return lane;
  }

  async #end(batch: readonly EndEvent[], lockMs: number): Promise<boolean[]> {
    const { pool, clock, onEnded } = this.#options;
    const accounts = new Set<string>();
    const ids = await endMessages(pool, batch, clock.now(), lockMs, accounts);
    onEnded(batch, ids, accounts);
    return batch.map(({ id }) => ids.has(id));
  }
}
