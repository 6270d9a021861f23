import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { GroupCommit } from '../../../platform/group-commit.js';

/** What one call of a sink takes at the most. */
const BATCH = 1_000;
/** How long a store that is away is waited for before the SMSC is asked to come again. */
const PATIENCE_MS = 5_000;
const RETRY_MS = 500;

/** Stores what an SMSC delivers: what comes while the sink is at work goes to it together, and what fails is tried again. */
export class PatientSink<Item> {
  readonly #items: GroupCommit<Item, void>;
  readonly #log: Logger;

  /** @param sink stores all of its items, or rejects and stores none */
  constructor(sink: (items: readonly Item[]) => Promise<void>, options: { log: Logger; maxWaiting: number }) {
    this.#log = options.log;
    this.#items = new GroupCommit<Item, void>({
      commit: (items) => storeAll(sink, items),
      weigh: () => 1,
      batchWeight: BATCH,
      waitingLimit: options.maxWaiting,
    });
  }

  /** Resolves with whether it was stored. */
  async store(item: Item): Promise<boolean> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await this.#items.add(item);
        return true;
      } catch (error) {
        if (performance.now() >= deadline) {
          this.#log.warn({ err: error }, 'what the SMSC delivered could not be stored; it is to send it again');
          return false;
        }
      }
      await pause(RETRY_MS);
    }
  }
}

/** Hands items to a sink together. When that fails, each of them is tried alone: one must not block the rest. */
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
