import type pg from 'pg';
import type { Logger } from 'pino';
import { storableId } from '../../../carriers/carrier-message-id.js';
import { SaidOnce } from '../../../platform/log/said-once.js';
import type { EndEvent, SentEvent } from '../../status/events.js';
import { findResults, type SendResult } from './result-store.js';

type Settle = (result: SendResult | null) => void;

const LOOK_EVERY_MS = 25;

/**
 * Requests that wait for the carrier's answer to what they sent. A send of this process is settled by its own status
 * writer; for those of other processes one query every 25 ms asks after all that wait.
 */
export class SendResults {
  readonly #pool: pg.Pool;
  readonly #failures: SaidOnce;
  readonly #waiting = new Map<string, Set<Settle>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#failures = new SaidOnce({ log, level: 'warn' });
  }

  /** The result of a message's send, or null when there is none within some milliseconds. */
  wait(messageId: string, timeoutMs: number): Promise<SendResult | null> {
    if (this.#stopped) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(messageId) ?? new Set();
      const settle: Settle = (result) => {
        clearTimeout(timer);
        waiters.delete(settle);
        if (waiters.size === 0) this.#waiting.delete(messageId);
        resolve(result);
      };
      const timer = setTimeout(() => settle(null), timeoutMs);
      this.#waiting.set(messageId, waiters.add(settle));
      this.#arm();
    });
  }

  /** Tells of outcomes that were committed in this process. */
  settle(events: readonly (SentEvent | EndEvent)[]): void {
    if (this.#waiting.size === 0) return;
    for (const event of events) {
      this.#settle(
        event.id,
        event.type === 'sent'
          ? {
              status: 'sent',
              carrierMessageId: storableId(event.carrierMessageId),
              errorCode: null,
              errorMessage: null,
            }
          : {
              status: event.status,
              carrierMessageId: null,
              errorCode: event.errorCode,
              errorMessage: event.errorMessage,
            },
      );
    }
  }

  /** Lets those go without a result that wait for one message. */
  letGo(messageId: string): void {
    this.#settle(messageId, null);
  }

  /** Lets all that wait go without a result. */
  close(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const id of [...this.#waiting.keys()]) this.#settle(id, null);
  }

  #settle(messageId: string, result: SendResult | null): void {
    for (const settle of [...(this.#waiting.get(messageId) ?? [])]) settle(result);
  }

  #arm(): void {
    if (this.#timer || this.#waiting.size === 0 || this.#stopped) return;
    this.#timer = setTimeout(async () => {
      try {
        const found = await findResults(this.#pool, [...this.#waiting.keys()]);
        for (const { id, ...result } of found) this.#settle(id, result);
      } catch (error) {
        this.#failures.say(error, 'results of sends could not be looked up');
      } finally {
        this.#timer = undefined;
        this.#arm();
      }
    }, LOOK_EVERY_MS);
  }
}
