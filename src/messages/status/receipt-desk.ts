import type { Receipt } from '../../carriers/carrier.js';
import { storableId } from '../../carriers/carrier-message-id.js';
import type { KeyedWorkOptions } from '../../platform/background/background-work.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';
import type { ReceiptEvent, SentEvent } from './events.js';
import { otherSpellings } from './id-spellings.js';
import { PartReceipts } from './part-receipts.js';
import {
  type CarrierKey,
  deleteEarly,
  findOfSent,
  findReferences,
  insertSuperseded,
  judgeReceipts,
  type Reference,
  type StoredReceipt,
  type SupersededReceipt,
  SWEEP_RECEIPTS,
  storeEarly,
  sweepEarly,
  type Verdict,
} from './receipt-store.js';
import { mayMove } from './status.js';
import type { StatusWriter } from './status-writer.js';
import { type PartReport, settleAnyPart, storedIdOf } from './unnumbered-part-store.js';
import { sourceOf } from './whose-word.js';

/** Receipts that one look-up of references takes. */
const LOOKUP_RECEIPTS = 1_000;
/** After this long, the response to a submission that was overtaken by its receipt has arrived. */
const NEW_MESSAGE_MS = 2_000;

export interface ReceiptDeskOptions extends KeyedWorkOptions {
  writer: Pick<StatusWriter, 'write'>;
}

/**
 * Where every carrier's receipts arrive. A receipt is applied; or stored because its message is not marked sent yet; or added
 * to the message's history because another attempt owns the message; or dropped because the message is already past it.
 */
export class ReceiptDesk {
  readonly #options: ReceiptDeskOptions;
  readonly #taken = new Tally('carrier', 'status');
  /** Receipts that come one by one while references are looked up are looked up together next. */
  readonly #lookups: GroupCommit<readonly Receipt[], FoundReceipt[]>;
  readonly #parts: PartReceipts;
  #collecting: Promise<void> | null = null;
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
    const unnamed = receipts.filter((receipt) => !receipt.messageId);
    const found: FoundReceipt[] = unnamed.length > 0 ? [...(await this.#lookups.add(unnamed))] : [];
    for (const receipt of receipts) {
      if (receipt.messageId) found.push({ receipt, event: toEvent(receipt, receipt.messageId), part: null });
    }
    const moved = await Promise.all(found.map((each) => this.#apply(each)));
    const left = found.filter((_, index) => !moved[index]);
    if (left.length > 0) await this.#keep(left);
  }

  /** False when the receipt must be looked at again, or when it moved nothing. */
  async #apply({ receipt, event, part }: FoundReceipt): Promise<boolean> {
    if (!event) return false;
    if (receipt.part && part === null) return this.#applyAnyPart(event, receipt.part);
    return part === null ? this.#options.writer.write(event) : this.#applyPart(event, part);
  }

  async #applyPart({ id: messageId, ...event }: ReceiptEvent, part: number): Promise<boolean> {
    const { early, event: combined } = await this.#parts.apply({ ...event, messageId, part });
    if (combined) await this.#options.writer.write(combined);
    return !early;
  }

  async #applyAnyPart(event: ReceiptEvent, report: PartReport): Promise<boolean> {
    const settled = await settleAnyPart(this.#options.pool, event, report);
    if (settled === 'early') return false;
    if (settled === 'whole') return this.#options.writer.write(event);
    const combined = await this.#parts.combine(event.id);
    if (combined) await this.#options.writer.write(combined);
    return true;
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

  /** Deletes a stored receipt once it is applied or in the message's history; one that could not be written stays. */
  async #applyStored(stored: readonly StoredReceipt[]): Promise<void> {
    if (stored.length === 0) return;
    const { pool, writer } = this.#options;
    const results = await Promise.allSettled(
      stored.map(({ event, part, report }) => {
        if (part !== null) return this.#applyPart(event, part);
        return report ? this.#applyAnyPart(event, report) : writer.write(event);
      }),
    );
    const isDone = (value: boolean) => (_: StoredReceipt, index: number) => {
      const result = results[index];
      return result?.status === 'fulfilled' && result.value === value;
    };
    const unmoved = stored.filter(isDone(false)).filter(({ part }) => part === null);
    const verdicts = await judgeReceipts(
      pool,
      unmoved.map(({ event }) => event),
    );
    // One that could still move its message was in a batch with one that could not; the next sweep finds it alone.
    const over = unmoved.filter(({ event }, index) => !isHopeful(event, verdicts[index]));
    await insertSuperseded(
      pool,
      unmoved.filter((each, index) => over.includes(each) && verdicts[index]?.isOwners === false),
    );
    await deleteEarly(
      pool,
      [...stored.filter(isDone(true)), ...over].map(({ rowId }) => rowId),
    );
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
  }

  async #find(groups: readonly (readonly Receipt[])[]): Promise<FoundReceipt[][]> {
    const found = new Map<string, Reference>();
    const look = async (keys: readonly CarrierKey[]) => {
      for (const row of await findReferences(this.#options.pool, keys)) found.set(nameKey(row), row);
    };
    const receipts = groups.flat();
    await look(receipts);
    // Only where the ID itself was not found: two messages may have IDs that differ in case alone.
    const unfound = receipts.filter((receipt) => !found.has(nameKey(receipt)));
    const respelled = unfound.flatMap(respell);
    if (respelled.length > 0) await look(respelled);
    return groups.map((group) =>
      group.map((receipt) => {
        const row = [receipt, ...respell(receipt)].map((key) => found.get(nameKey(key))).find((each) => each);
        if (!row) return { receipt, event: null, part: null };
        const { carrierMessageId, messageId, part } = row;
        return { receipt, event: toEvent({ ...receipt, carrierMessageId }, messageId), part };
      }),
    );
  }

  /**
   * Keeps receipts that moved nothing. Most are early: their message was not marked sent when they were tried. It may be by
   * now, so these are looked for at once, as after a commit that marks it. One about another attempt belongs to the history.
   * The rest are repeated or late, and can be dropped; except that one found by its carrier's ID may be about a new message.
   * Carriers use IDs again, and a receipt may overtake the response that gives the ID to the new message.
   */
  async #keep(receipts: readonly FoundReceipt[]): Promise<void> {
    const { pool } = this.#options;
    const whole = receipts.filter(({ event, part }) => event !== null && part === null);
    const verdicts = await judgeReceipts(
      pool,
      whole.flatMap(({ event }) => event ?? []),
    );
    const verdictOf = new Map(whole.map((each, index) => [each, verdicts[index]]));
    const early: Receipt[] = [];
    const doubtful: Receipt[] = [];
    const superseded: SupersededReceipt[] = [];
    for (const each of receipts) {
      const { receipt, event } = each;
      const verdict = verdictOf.get(each);
      // No verdict: it is about a part, or the commit that makes its message may still be under way.
      if (!event || !verdict || isHopeful(receipt, verdict)) early.push(receipt);
      else if (!receipt.messageId) doubtful.push(receipt);
      else if (!verdict.isOwners) superseded.push({ ...receipt, event });
    }
    await Promise.all([
      storeEarly(pool, early),
      storeEarly(pool, doubtful, NEW_MESSAGE_MS),
      insertSuperseded(pool, superseded),
    ]);
    if (early.length > 0)
      this.#lookFor(early.map(({ carrier, ...each }) => ({ carrier, carrierMessageId: storedIdOf(each) })));
  }
}

/** A carrier's ID in its other spellings. */
function respell({ carrier, carrierMessageId }: CarrierKey): CarrierKey[] {
  return otherSpellings(carrierMessageId).map((each) => ({ carrier, carrierMessageId: each }));
}

function nameKey({ carrier, carrierMessageId }: CarrierKey): string {
  return `${carrier} ${storableId(carrierMessageId)}`;
}

/** A receipt whose carrier's id was looked up, if it did not name its message. */
interface FoundReceipt {
  receipt: Receipt;
  /** Null where no message was found. */
  event: ReceiptEvent | null;
  /** Null where the receipt is of a whole message. */
  part: number | null;
}

/** Whether a receipt can still move its message: now, or once the message is marked sent. */
function isHopeful(receipt: Pick<Receipt, 'status' | 'overridesFailure'>, verdict: Verdict | undefined): boolean {
  if (!verdict) return false;
  const { status, counts, isReplaceable } = verdict;
  if (status === 'queued' || status === 'sending') return true;
  // A failure that was written after this receipt was tried.
  const replaces = isReplaceable && receipt.overridesFailure === true;
  return counts && (replaces || mayMove(receipt.status, status));
}

function toEvent(receipt: Receipt, id: string): ReceiptEvent {
  return {
    type: 'receipt',
    id,
    source: sourceOf(receipt),
    status: receipt.status,
    ...(receipt.overridesFailure && { overridesFailure: true }),
    at: receipt.occurredAt,
    errorCode: receipt.errorCode ?? null,
    errorMessage: receipt.errorMessage ?? null,
  };
}
