import type pg from 'pg';
import { GroupCommit } from '../../platform/group-commit.js';
import type { ReceiptEvent } from './events.js';
import { lookAtParts, type PartReceipt, type PartsState, settleParts } from './part-store.js';

const BATCH_RECEIPTS = 1_000;

/** What the receipt of a part comes to. */
export interface PartOutcome {
  /** The message is not marked sent yet, so the receipt must be looked at again. */
  early: boolean;
  /** What the parts together say of the message; null while some are open and none has failed. */
  event: ReceiptEvent | null;
}

/**
 * Applies the receipts of parts: each is written to its part, and then the parts are looked at together. A message is
 * delivered when all of its parts are, at the time of the last, and fails with the first that does. Since that is
 * computed from the rows, a receipt that comes again, also after a death between the two steps, leads to the same.
 */
export class PartReceipts {
  readonly #pool: pg.Pool;
  readonly #commits: GroupCommit<PartReceipt, PartOutcome>;

  constructor({ pool }: { pool: pg.Pool }) {
    this.#pool = pool;
    this.#commits = new GroupCommit<PartReceipt, PartOutcome>({
      commit: async (receipts) => {
        await settleParts(pool, receipts);
        const states = await lookAtParts(
          pool,
          receipts.map(({ messageId }) => messageId),
        );
        return receipts.map(({ messageId }) => outcomeOf(states.get(messageId)));
      },
      batchWeight: BATCH_RECEIPTS,
    });
  }

  apply(receipt: PartReceipt): Promise<PartOutcome> {
    return this.#commits.add(receipt);
  }

  /** What the parts of a message say of it together; null while some are open and none has failed. */
  async combine(messageId: string): Promise<ReceiptEvent | null> {
    return outcomeOf((await lookAtParts(this.#pool, [messageId])).get(messageId)).event;
  }

  /** Resolves once nothing is being applied. */
  idle(): Promise<void> {
    return this.#commits.idle();
  }
}

function outcomeOf(state: PartsState | undefined): PartOutcome {
  // The message was deleted since.
  if (!state) return { early: false, event: null };
  return { early: state.early, event: state.early ? null : eventOf(state) };
}

function eventOf({ id, delivered, lastAt, failure }: PartsState): ReceiptEvent | null {
  // Only the parts of the attempt that owns the message have rows.
  if (failure) return { type: 'receipt', id, source: null, ...failure };
  if (!delivered || !lastAt) return null;
  return { type: 'receipt', id, source: null, status: 'delivered', at: lastAt, errorCode: null, errorMessage: null };
}
