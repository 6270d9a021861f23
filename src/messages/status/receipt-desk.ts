import type { Receipt } from '../../carriers/carrier.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import type { BackgroundStoreOptions } from '../../platform/background/background-work.js';
import { GroupCommit } from '../../platform/group-commit.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';
import type { ReceiptEvent, SentEvent } from './events.js';
import { listOtherSpellings } from './id-spellings.js';
import { PartReceipts } from './part-receipts.js';
import {
  type CarrierKey,
  deleteEarly,
  findReferences,
  findStoredForSent,
  insertSuperseded,
  judgeReceipts,
  MAX_SWEPT_RECEIPTS,
  type Reference,
  type StoredReceipt,
  type SupersededReceipt,
  storeEarly,
  sweepEarly,
  type Verdict,
} from './receipt-store.js';
import { toReceiptSource } from './report-ownership.js';
import { canMoveStatus } from './status.js';
import type { StatusWriter } from './status-writer.js';
import { type PartReport, settleOpenPart, toStoredId } from './unnumbered-part-store.js';

/** Maximum receipts per reference lookup. */
const LOOKUP_RECEIPTS = 1_000;
/** The response to a submission arrives within this time, even if its receipt came first. */
const NEW_MESSAGE_MS = 2_000;

export interface ReceiptDeskOptions extends BackgroundStoreOptions {
  writer: Pick<StatusWriter, 'write'>;
}

/**
 * An early receipt is stored until the message is marked sent. A superseded receipt concerns an attempt that does not own the
 * message, and is added to the history.
 */
export class ReceiptDesk {
  readonly #options: ReceiptDeskOptions;
  readonly #received = new Tally('carrier', 'status');
  /** Receipts that arrive during one lookup share the next lookup. */
  readonly #lookups: GroupCommit<readonly Receipt[], FoundReceipt[]>;
  readonly #parts: PartReceipts;
  #applyingStored: Promise<void> | null = null;
  /** Carrier IDs of messages that were just marked sent, so that their stored receipts can be applied. */
  #sentKeys: CarrierKey[] = [];

  constructor(options: ReceiptDeskOptions) {
    this.#options = options;
    this.#lookups = new GroupCommit({
      commit: (groups) => this.#findMessages(groups),
      weigh: (receipts) => receipts.length,
      batchWeight: LOOKUP_RECEIPTS,
    });
    this.#parts = new PartReceipts(options);
  }

  metrics(): Metric[] {
    return [this.#received.toMetric('heliograph_receipts_total', 'Receipts of carriers, including repeated ones')];
  }

  /** Receipts may be acknowledged to the carrier only after the promise resolves. */
  async receive(receipts: readonly Receipt[]): Promise<void> {
    for (const { carrier, status } of receipts) this.#received.add(carrier, status);
    const withoutMessageId = receipts.filter((receipt) => !receipt.messageId);
    const foundReceipts: FoundReceipt[] =
      withoutMessageId.length > 0 ? [...(await this.#lookups.add(withoutMessageId))] : [];
    for (const receipt of receipts) {
      if (receipt.messageId) foundReceipts.push({ receipt, event: toEvent(receipt, receipt.messageId), part: null });
    }
    const moved = await Promise.all(foundReceipts.map((each) => this.#applyReceipt(each)));
    const unapplied = foundReceipts.filter((_, index) => !moved[index]);
    if (unapplied.length > 0) await this.#storeUnapplied(unapplied);
  }

  async #applyReceipt({ receipt, event, part }: FoundReceipt): Promise<boolean> {
    if (!event) return false;
    if (receipt.part && part === null) return this.#applyAnyPart(event, receipt.part);
    return part === null ? this.#options.writer.write(event) : this.#applyPart(event, part);
  }

  async #applyPart({ id: messageId, ...event }: ReceiptEvent, part: number): Promise<boolean> {
    const { isEarly, event: combined } = await this.#parts.apply({ ...event, messageId, part });
    if (combined) await this.#options.writer.write(combined);
    return !isEarly;
  }

  async #applyAnyPart(event: ReceiptEvent, report: PartReport): Promise<boolean> {
    const settlement = await settleOpenPart(this.#options.pool, event, report);
    if (settlement === 'early') return false;
    if (settlement === 'whole') return this.#options.writer.write(event);
    const combined = await this.#parts.combine(event.id);
    if (combined) await this.#options.writer.write(combined);
    return true;
  }

  afterSent(events: readonly SentEvent[]): void {
    this.#applyStoredFor(
      events.flatMap((event) =>
        (event.parts ?? [event]).map(({ carrierMessageId }) => ({ carrier: event.carrier, carrierMessageId })),
      ),
    );
  }

  #applyStoredFor(keys: readonly CarrierKey[]): void {
    for (const key of keys) this.#sentKeys.push(key);
    this.#applyingStored ??= this.#collectForSent().finally(() => {
      this.#applyingStored = null;
    });
  }

  async sweep(): Promise<void> {
    let examined: number;
    do {
      const swept = await sweepEarly(this.#options.pool);
      await this.#applyStored(swept.applicable);
      examined = swept.examined;
    } while (examined === MAX_SWEPT_RECEIPTS);
  }

  async idle(): Promise<void> {
    await this.#lookups.waitUntilIdle();
    await this.#parts.idle();
    while (this.#applyingStored) await this.#applyingStored;
  }

  async #collectForSent(): Promise<void> {
    while (this.#sentKeys.length > 0) {
      const keys = this.#sentKeys;
      this.#sentKeys = [];
      try {
        await this.#applyStored(await findStoredForSent(this.#options.pool, keys));
      } catch (error) {
        // The relay's next sweep retries the stored receipts.
        this.#options.log.warn({ err: error }, 'cannot apply stored receipts, retrying with the next sweep');
      }
    }
  }

  /** Receipts that could not be applied stay stored for the next sweep. */
  async #applyStored(stored: readonly StoredReceipt[]): Promise<void> {
    if (stored.length === 0) return;
    const { pool, writer } = this.#options;
    const results = await Promise.allSettled(
      stored.map(({ event, part, report }) => {
        if (part !== null) return this.#applyPart(event, part);
        return report ? this.#applyAnyPart(event, report) : writer.write(event);
      }),
    );
    const resolvedTo = (value: boolean) => (_: StoredReceipt, index: number) => {
      const result = results[index];
      return result?.status === 'fulfilled' && result.value === value;
    };
    const unmoved = stored.filter(resolvedTo(false)).filter(({ part }) => part === null);
    const verdicts = await judgeReceipts(
      pool,
      unmoved.map(({ event }) => event),
    );
    // A receipt that can still move its message stays stored, and the next sweep applies it alone.
    const finished = unmoved.filter(({ event }, index) => !canStillMove(event, verdicts[index]));
    await insertSuperseded(
      pool,
      unmoved.filter((each, index) => finished.includes(each) && verdicts[index]?.isAboutOwner === false),
    );
    await deleteEarly(
      pool,
      [...stored.filter(resolvedTo(true)), ...finished].map(({ rowId }) => rowId),
    );
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
  }

  async #findMessages(groups: readonly (readonly Receipt[])[]): Promise<FoundReceipt[][]> {
    const references = new Map<string, Reference>();
    const lookUp = async (keys: readonly CarrierKey[]) => {
      for (const row of await findReferences(this.#options.pool, keys)) references.set(nameKey(row), row);
    };
    const receipts = groups.flat();
    await lookUp(receipts);
    // Other spellings are tried only for missing IDs, because the IDs of two messages may differ only in case.
    const missing = receipts.filter((receipt) => !references.has(nameKey(receipt)));
    const respelledKeys = missing.flatMap(toOtherSpellings);
    if (respelledKeys.length > 0) await lookUp(respelledKeys);
    return groups.map((group) =>
      group.map((receipt) => {
        const row = [receipt, ...toOtherSpellings(receipt)]
          .map((key) => references.get(nameKey(key)))
          .find((each) => each);
        if (!row) return { receipt, event: null, part: null };
        const { carrierMessageId, messageId, part } = row;
        return { receipt, event: toEvent({ ...receipt, carrierMessageId }, messageId), part };
      }),
    );
  }

  /**
   * Stores receipts that changed no status, depending on the cause:
   * - Early: the receipt is stored, and the message's stored receipts are looked up immediately, because the message may have
   * been marked sent in the meantime.
   * - Superseded: the receipt is added to the history.
   * - Repeated or outdated: the receipt is dropped if it named the message. A receipt with only the carrier's ID is stored for
   * a short time, because carriers reuse IDs, and a receipt can overtake the response that assigns the ID.
   */
  async #storeUnapplied(receipts: readonly FoundReceipt[]): Promise<void> {
    const { pool } = this.#options;
    const wholeReceipts = receipts.filter(({ event, part }) => event !== null && part === null);
    const verdicts = await judgeReceipts(
      pool,
      wholeReceipts.flatMap(({ event }) => event ?? []),
    );
    const verdictByReceipt = new Map(wholeReceipts.map((each, index) => [each, verdicts[index]]));
    const early: Receipt[] = [];
    const ambiguous: Receipt[] = [];
    const superseded: SupersededReceipt[] = [];
    for (const each of receipts) {
      const { receipt, event } = each;
      const verdict = verdictByReceipt.get(each);
      // A receipt has no verdict if it is about a single part, or if its message may not have been committed yet.
      if (!event || !verdict || canStillMove(receipt, verdict)) early.push(receipt);
      else if (!receipt.messageId) ambiguous.push(receipt);
      else if (!verdict.isAboutOwner) superseded.push({ ...receipt, event });
    }
    await Promise.all([
      storeEarly(pool, early),
      storeEarly(pool, ambiguous, NEW_MESSAGE_MS),
      insertSuperseded(pool, superseded),
    ]);
    if (early.length > 0)
      this.#applyStoredFor(early.map(({ carrier, ...each }) => ({ carrier, carrierMessageId: toStoredId(each) })));
  }
}

function toOtherSpellings({ carrier, carrierMessageId }: CarrierKey): CarrierKey[] {
  return listOtherSpellings(carrierMessageId).map((each) => ({ carrier, carrierMessageId: each }));
}

function nameKey({ carrier, carrierMessageId }: CarrierKey): string {
  return `${carrier} ${toStorableId(carrierMessageId)}`;
}

interface FoundReceipt {
  receipt: Receipt;
  event: ReceiptEvent | null;
  /** Part number, or null if the receipt is about the whole message. */
  part: number | null;
}

function canStillMove(receipt: Pick<Receipt, 'status' | 'overridesFailure'>, verdict: Verdict | undefined): boolean {
  if (!verdict) return false;
  const { status, counts, isReplaceableFailure } = verdict;
  if (status === 'queued' || status === 'sending') return true;
  // A receipt that overrides failures can still move the message if the failure was written only after the receipt was first
  // applied.
  const replaces = isReplaceableFailure && receipt.overridesFailure === true;
  return counts && (replaces || canMoveStatus(receipt.status, status));
}

function toEvent(receipt: Receipt, id: string): ReceiptEvent {
  return {
    type: 'receipt',
    id,
    source: toReceiptSource(receipt),
    status: receipt.status,
    ...(receipt.overridesFailure && { overridesFailure: true }),
    at: receipt.occurredAt,
    errorCode: receipt.errorCode ?? null,
    errorMessage: receipt.errorMessage ?? null,
  };
}
