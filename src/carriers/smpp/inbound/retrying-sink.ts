import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { GroupCommit } from '../../../platform/group-commit.js';

const BATCH_SIZE = 1_000;
/** How long storing is retried while the database is unavailable; afterwards, the SMSC must deliver the message again. */
const RETRY_FOR_MS = 5_000;
const RETRY_MS = 500;

export class RetryingSink<Item> {
  readonly #items: GroupCommit<Item, void>;
  readonly #log: Logger;

  /** The function `sink` stores all of its items, or rejects and stores none. */
  constructor(sink: (items: readonly Item[]) => Promise<void>, options: { log: Logger; maxWaiting: number }) {
    this.#log = options.log;
    this.#items = new GroupCommit<Item, void>({
      commit: (items) => storeAll(sink, items),
      weigh: () => 1,
      batchWeight: BATCH_SIZE,
      waitingLimit: options.maxWaiting,
    });
  }

  /** Resolves to false if the item could not be stored in time. */
  async store(item: Item): Promise<boolean> {
    const deadline = performance.now() + RETRY_FOR_MS;
    for (;;) {
      try {
        await this.#items.add(item);
        return true;
      } catch (error) {
        if (performance.now() >= deadline) {
          this.#log.warn(
            { err: error },
            'a message from the SMSC could not be stored; asked the SMSC to deliver it again',
          );
          return false;
        }
      }
      await pause(RETRY_MS);
    }
  }
}

/** If a batch fails, each item is stored separately, so that a bad item does not block the rest. */
async function storeAll<Item>(sink: (items: readonly Item[]) => Promise<void>, items: readonly Item[]) {
  try {
    await sink(items);
    return items.map(() => undefined);
  } catch (error) {
    if (items.length === 1) throw error;
  }
  const results = await Promise.allSettled(items.map((item) => sink([item])));
  return results.map((result) => (result.status === 'rejected' ? (result.reason as Error) : undefined));
}
