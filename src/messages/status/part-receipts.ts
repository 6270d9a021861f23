import type pg from 'pg';
import { GroupCommit } from '../../platform/group-commit.js';
import type { ReceiptEvent } from './events.js';
import { type PartReceipt, type PartsState, readPartsStates, recordPartReceipts } from './part-store.js';

const BATCH_RECEIPTS = 1_000;

export interface PartOutcome {
  isEarly: boolean;
  /** Event for the whole message, or null while no part has failed and some parts have no receipt. */
  event: ReceiptEvent | null;
}

/**
 * A message is delivered when its last part is delivered, and fails with its first failed part. The result is computed from
 * rows, so repeating a receipt gives the same result, even after a crash.
 */
export class PartReceipts {
  readonly #pool: pg.Pool;
  readonly #commits: GroupCommit<PartReceipt, PartOutcome>;

  constructor({ pool }: { pool: pg.Pool }) {
    this.#pool = pool;
    this.#commits = new GroupCommit<PartReceipt, PartOutcome>({
      commit: async (receipts) => {
        await recordPartReceipts(pool, receipts);
        const states = await readPartsStates(
          pool,
          receipts.map(({ messageId }) => messageId),
        );
        return receipts.map(({ messageId }) => toPartOutcome(states.get(messageId)));
      },
      batchWeight: BATCH_RECEIPTS,
    });
  }

  apply(receipt: PartReceipt): Promise<PartOutcome> {
    return this.#commits.add(receipt);
  }

  async combine(messageId: string): Promise<ReceiptEvent | null> {
    return toPartOutcome((await readPartsStates(this.#pool, [messageId])).get(messageId)).event;
  }

  idle(): Promise<void> {
    return this.#commits.waitUntilIdle();
  }
}

function toPartOutcome(state: PartsState | undefined): PartOutcome {
  if (!state) return { isEarly: false, event: null };
  return { isEarly: state.isEarly, event: state.isEarly ? null : toReceiptEvent(state) };
}

function toReceiptEvent({ id, isDelivered, lastAt, failure }: PartsState): ReceiptEvent | null {
  // The source is null, because rows exist only for the parts of the attempt that owns the message.
  if (failure) return { type: 'receipt', id, source: null, ...failure };
  if (!isDelivered || !lastAt) return null;
  return { type: 'receipt', id, source: null, status: 'delivered', at: lastAt, errorCode: null, errorMessage: null };
}
