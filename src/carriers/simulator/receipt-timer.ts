import type { Logger } from 'pino';
import type { Receipt, ReceiptSink } from '../carrier.js';

/** Maximum number of messages whose receipts are reported in a single call. */
const BATCH_MESSAGES = 1_000;
const RETRY_MS = 1_000;

interface PendingReceipts {
  /** By `performance.now()`. */
  dueAt: number;
  carrierMessageId: string;
  createReceipts(): Receipt[];
}

/** A single timer serves all messages, because the delay is the same for every message. */
export class ReceiptTimer {
  readonly #delayMs: number;
  readonly #log: Logger;
  readonly #pending = new Map<string, PendingReceipts>();
  #sink: ReceiptSink | null = null;
  #timer: NodeJS.Timeout | undefined;
  #reporting: Promise<void> | null = null;
  #stopped = false;

  constructor({ delayMs, log }: { delayMs: number; log: Logger }) {
    this.#delayMs = delayMs;
    this.#log = log;
  }

  schedule(carrierMessageId: string, createReceipts: () => Receipt[]): void {
    if (this.#stopped || this.#pending.has(carrierMessageId)) return;
    this.#pending.set(carrierMessageId, { dueAt: performance.now() + this.#delayMs, carrierMessageId, createReceipts });
    this.#startTimer();
  }

  start(sink: ReceiptSink): void {
    this.#sink = sink;
    this.#startTimer();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#reporting;
  }

  #startTimer(pauseMs = 0): void {
    if (this.#timer || this.#reporting || this.#stopped || !this.#sink) return;
    const next = this.#pending.values().next();
    if (next.done) return;
    const delay = Math.max(pauseMs, next.value.dueAt - performance.now(), 0);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#reporting = this.#reportDue(this.#sink as ReceiptSink).then((pause) => {
        this.#reporting = null;
        this.#startTimer(pause);
      });
    }, delay);
  }

  /** Resolves with the milliseconds until the next report. */
  async #reportDue(sink: ReceiptSink): Promise<number> {
    const now = performance.now();
    const batch: PendingReceipts[] = [];
    for (const pending of this.#pending.values()) {
      if (pending.dueAt > now || batch.length === BATCH_MESSAGES) break;
      batch.push(pending);
    }
    try {
      await sink(batch.flatMap((pending) => pending.createReceipts()));
      for (const { carrierMessageId } of batch) this.#pending.delete(carrierMessageId);
      return 0;
    } catch (error) {
      this.#log.warn({ err: error }, 'the simulator could not report receipts; it will retry');
      return RETRY_MS;
    }
  }
}
