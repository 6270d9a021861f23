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

export interface DeferredEndsOptions extends BackgroundStoreOptions {
  clock: Clock;
  lockedAccounts: LockedAccounts;
  isStopping(): boolean;
  /** Called after a commit with its events, the messages that were ended, and their accounts. */
  onEnded(events: readonly EndEvent[], ids: ReadonlySet<string>, accounts: ReadonlySet<string>): void;
}

/**
 * Ends the messages of locked accounts. The statement that ends a message also refunds it, so the statement must wait until the
 * account is free.
 */
export class DeferredEnds {
  readonly #options: DeferredEndsOptions;
  readonly #queues = new Map<string, GroupCommit<EndEvent, boolean>>();
  #waiting = 0;

  constructor(options: DeferredEndsOptions) {
    this.#options = options;
  }

  async write(event: EndEvent, accountId: string, onDeferred?: () => void): Promise<boolean> {
    if (this.#waiting < MAX_WAITING) onDeferred?.();
    this.#waiting += 1;
    const queue = this.#openQueue(accountId);
    try {
      return await queue.add(event);
    } finally {
      this.#waiting -= 1;
      if (queue.waitingWeight === 0) this.#queues.delete(accountId);
    }
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.waitUntilIdle()));
  }

  /** Stops waiting, so that the leases of the messages expire and another process takes over. */
  giveUp(): void {
    this.#options.lockedAccounts.giveUp();
  }

  #openQueue(accountId: string): GroupCommit<EndEvent, boolean> {
    const existing = this.#queues.get(accountId);
    if (existing) return existing;
    const { lockedAccounts, log, isStopping } = this.#options;
    const commit = async (batch: readonly EndEvent[]): Promise<readonly (boolean | Error)[]> => {
      try {
        // Repeating the statement is safe, because it does not match messages that it has already ended.
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
    const queue = new GroupCommit<EndEvent, boolean>({
      commit: (batch) => commit(batch),
      batchWeight: BATCH_EVENTS,
    });
    this.#queues.set(accountId, queue);
    return queue;
  }

  async #end(batch: readonly EndEvent[], lockMs: number): Promise<boolean[]> {
    const { pool, clock, onEnded } = this.#options;
    const accounts = new Set<string>();
    const ids = await endMessages(pool, batch, clock.now(), lockMs, accounts);
    onEnded(batch, ids, accounts);
    return batch.map(({ id }) => ids.has(id));
  }
}
