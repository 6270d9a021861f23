import { setTimeout as pause } from 'node:timers/promises';
import type { Receipt } from '../../carriers/carrier.js';
import { storableId } from '../../carriers/carrier-message-id.js';
import type { KeyedWorkOptions } from '../../platform/background/background-work.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';
import type { ReceiptEvent, SentEvent } from './events.js';
import { PartReceipts } from './part-receipts.js';
import {
  type CarrierKey,
  deleteEarly,
  findOfSent,
  findReferences,
  findStatuses,
  type StoredReceipt,
  SWEEP_RECEIPTS,
  storeEarly,
  sweepEarly,
} from './receipt-store.js';
import { mayMove } from './status.js';
import type { StatusWriter } from './status-writer.js';

/** Receipts that one look-up of references takes. */
const LOOKUP_RECEIPTS = 1_000;
/** After this long, the answer to a submission that its receipt has overtaken is there. */
const NEW_OWNER_MS = 1_000;

export interface ReceiptDeskOptions extends KeyedWorkOptions {
  writer: Pick<StatusWriter, 'write'>;
}

/**
 * Where every carrier's receipts arrive. A receipt is applied, stored because its message is not marked sent yet, or
 * dropped because the message is already past it.
 */
export class ReceiptDesk {
  readonly #options: ReceiptDeskOptions;
  readonly #taken = new Tally('carrier', 'status');
  /** Receipts that come one by one while references are looked up are looked up together next. */
  readonly #lookups: GroupCommit<readonly Receipt[], FoundReceipt[]>;
  readonly #parts: PartReceipts;
  #collecting: Promise<void> | null = null;
  readonly #doubts = new Set<Promise<void>>();
  /** Ids of which a receipt may have been stored and may now be applied. */
  #ripe: CarrierKey[] = [];

  constructor(options: ReceiptDeskOptions) {
    this.#options = options;
    this.#lookups = new GroupCommit({
      commit: (groups) => this.#find(groups),
      weigh: (receipts) => receipts.length,
      batchWeight: LOOKUP_RECEIPTS,
    });
    this.#parts = new PartReceipts(options);
  }

  metrics(): Metric[] {
    return [
      this.#taken.metric(
        'heliograph_receipts_total',
        'Receipts that came from carriers, by carrier and status; those that came twice too',
      ),
    ];
  }

  /** Resolves once every receipt is applied or stored: only then may a carrier be told so. */
  async take(receipts: readonly Receipt[]): Promise<void> {
    for (const { carrier, status } of receipts) this.#taken.add(carrier, status);
    const unknown = receipts.filter((receipt) => !receipt.messageId);
    const looked = unknown.length > 0 ? await this.#lookups.add(unknown) : [];
    const found: FoundReceipt[] =
      unknown.length > 0 ? [...receipts.filter((receipt) => receipt.messageId), ...looked] : [...receipts];
    const late = await this.#settle(found);
    const doubtful = late.filter((receipt) => looked.includes(receipt));
    if (doubtful.length > 0) this.#tryForNewOwner(doubtful);
  }

  /** Applies or stores receipts. Resolves to those that came too late to move the message that they were found for. */
  async #settle(receipts: readonly FoundReceipt[]): Promise<FoundReceipt[]> {
    const results = await Promise.all(receipts.map((receipt) => this.#apply(receipt)));
    const left = receipts.filter((_, index) => !results[index]);
    return left.length > 0 ? this.#storeEarly(left) : [];
  }

  /**
   * A receipt that is late for its message is one that came twice, or it means another: carriers give ids again, and it
   * may have overtaken the answer that gives this one to a new message. A moment later that answer is there. No
   * caller waits for it, for nearly all came twice.
   */
  #tryForNewOwner(receipts: readonly FoundReceipt[]): void {
    const trying = (async () => {
      await pause(NEW_OWNER_MS);
      const again = await this.#lookups.add(receipts);
      const moved = again.filter(({ messageId }, index) => messageId !== receipts[index]?.messageId);
      if (moved.length > 0) await this.#settle(moved);
    })()
      .catch((error) => this.#options.log.warn({ err: error }, 'receipts that came late could not be looked at again'))
      .finally(() => this.#doubts.delete(trying));
    this.#doubts.add(trying);
  }

  /** False when the receipt must be looked at again, or when it moved nothing. */
  async #apply(receipt: FoundReceipt): Promise<boolean> {
    if (!receipt.messageId) return false;
    const event = toEvent(receipt, receipt.messageId);
    return receipt.part ? this.#applyPart(event, receipt.part) : this.#options.writer.write(event);
  }

  async #applyPart({ id: messageId, ...event }: ReceiptEvent, part: number): Promise<boolean> {
    const { early, event: combined } = await this.#parts.apply({ ...event, messageId, part });
    if (combined) await this.#options.writer.write(combined);
    return !early;
  }

  /** Looks for stored receipts of messages that were just marked sent; to be called after that commit. */
  afterSent(events: readonly SentEvent[]): void {
    this.#lookFor(
      events.flatMap((event) =>
        (event.parts ?? [event]).map(({ carrierMessageId }) => ({ carrier: event.carrier, carrierMessageId })),
      ),
    );
  }

  #lookFor(keys: readonly CarrierKey[]): void {
    for (const key of keys) this.#ripe.push(key);
    this.#collecting ??= this.#collectRipe().finally(() => {
      this.#collecting = null;
    });
  }

  /** Applies stored receipts whose message has been marked sent since, as far as they are due. */
  async collect(): Promise<void> {
    let looked: number;
    do {
      const swept = await sweepEarly(this.#options.pool);
      await this.#applyStored(swept.ripe);
      looked = swept.looked;
    } while (looked === SWEEP_RECEIPTS);
  }

  /** Resolves once nothing is looked up or collected any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#doubts);
    await this.#lookups.idle();
    await this.#parts.idle();
    while (this.#collecting) await this.#collecting;
  }

  async #collectRipe(): Promise<void> {
    while (this.#ripe.length > 0) {
      const keys = this.#ripe;
      this.#ripe = [];
      try {
        await this.#applyStored(await findOfSent(this.#options.pool, keys));
      } catch (error) {
        // The relay sweeps what is left behind here.
        this.#options.log.warn({ err: error }, 'stored receipts wait for the store');
      }
    }
  }

  async #applyStored(stored: readonly StoredReceipt[]): Promise<void> {
    if (stored.length === 0) return;
    await Promise.all(
      stored.map(({ event, part }) =>
        part === null ? this.#options.writer.write(event) : this.#applyPart(event, part),
      ),
    );
    await deleteEarly(
      this.#options.pool,
      stored.map(({ rowId }) => rowId),
    );
  }

  async #find(groups: readonly (readonly Receipt[])[]): Promise<FoundReceipt[][]> {
    const references = await findReferences(this.#options.pool, groups.flat());
    const found = new Map(references.map((row) => [`${row.carrier} ${row.carrierMessageId}`, row]));
    return groups.map((group) =>
      group.map((receipt) => {
        const row = found.get(`${receipt.carrier} ${storableId(receipt.carrierMessageId)}`);
        return { ...receipt, messageId: row?.messageId, part: row?.part ?? undefined };
      }),
    );
  }

  /**
   * The message of each was not marked sent yet when the receipt was tried. It may be by now, which counts no less: what
   * the receipt could move is stored, and looked for at once as after a commit that marks it. Resolves to those that can
   * move nothing.
   */
  async #storeEarly(receipts: readonly FoundReceipt[]): Promise<FoundReceipt[]> {
    const { pool } = this.#options;
    const statuses = await findStatuses(
      pool,
      receipts.flatMap(({ messageId, part }) => (messageId && !part ? messageId : [])),
    );
    const late: FoundReceipt[] = [];
    const stored: Receipt[] = [];
    for (const found of receipts) {
      const { part, ...receipt } = found;
      const status = receipt.messageId && statuses.get(receipt.messageId);
      // That of a part is found again by its carrier's id, which names the part too.
      if (part) stored.push({ ...receipt, messageId: undefined });
      // No row at all: the commit that makes it may still be under way.
      else if (!status || mayMove(receipt.status, status)) stored.push(receipt);
      else late.push(found);
    }
    if (stored.length > 0) {
      await storeEarly(pool, stored);
      this.#lookFor(stored);
    }
    return late;
  }
}

/** A receipt whose carrier's id was looked up. */
interface FoundReceipt extends Receipt {
  /** Left out where the receipt is of a whole message. */
  part?: number;
}

function toEvent(receipt: Receipt, id: string): ReceiptEvent {
  return {
    type: 'receipt',
    id,
    status: receipt.status,
    at: receipt.occurredAt,
    errorCode: receipt.errorCode ?? null,
    errorMessage: receipt.errorMessage ?? null,
  };
}
