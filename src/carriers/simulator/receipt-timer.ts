import type { Logger } from 'pino';
import type { Receipt, ReceiptSink } from '../carrier.js';

/** Receipts of this many messages are handed over at once. */
const BATCH_MESSAGES = 1_000;
const RETRY_MS = 1_000;

interface Waiting {
  due: number;
  carrierMessageId: string;
  receipts(): Receipt[];
}

/**
 * Hands receipts over after a fixed delay, in the order in which they were scheduled, with one timer for all of them.
 * Before `start` they wait.
 */
export class ReceiptTimer {
  readonly #delayMs: number;
  readonly #log: Logger;
  /** By the carrier's id, in the order in which they become due. */
  readonly #waiting = new Map<string, Waiting>();
  #sink: ReceiptSink | null = null;
  #timer: NodeJS.Timeout | undefined;
  #handing: Promise<void> | null = null;
  #stopped = false;

  constructor({ delayMs, log }: { delayMs: number; log: Logger }) {
    this.#delayMs = delayMs;
    this.#log = log;
  }

  /** Schedules the receipts of a message, unless some of it wait already. */
  schedule(carrierMessageId: string, receipts: () => Receipt[]): void {
    if (this.#stopped || this.#waiting.has(carrierMessageId)) return;
    this.#waiting.set(carrierMessageId, { due: performance.now() + this.#delayMs, carrierMessageId, receipts });
    this.#arm();
  }

  start(sink: ReceiptSink): void {
    this.#sink = sink;
    this.#arm();
  }

  /** Hands nothing over any more and waits for what is being handed over. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#handing;
  }

  #arm(pauseMs = 0): void {
    if (this.#timer || this.#handing || this.#stopped || !this.#sink) return;
    const next = this.#waiting.values().next();
    if (next.done) return;
    const delay = Math.max(pauseMs, next.value.due - performance.now(), 0);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#handing = this.#hand(this.#sink as ReceiptSink).then((pause) => {
        this.#handing = null;
        this.#arm(pause);
      });
    }, delay);
  }

  /** Hands over what is due; resolves to how long to pause before the next. */
  async #hand(sink: ReceiptSink): Promise<number> {
    const now = performance.now();
    const due: Waiting[] = [];
    for (const waiting of this.#waiting.values()) {
      if (waiting.due > now || due.length === BATCH_MESSAGES) break;
      due.push(waiting);
    }
    try {
      await sink(due.flatMap((waiting) => waiting.receipts()));
      for (const { carrierMessageId } of due) this.#waiting.delete(carrierMessageId);
      return 0;
    } catch (error) {
      this.#log.warn({ err: error }, 'the simulator keeps its receipts until the store is back');
      return RETRY_MS;
    }
  }
}
