import type pg from 'pg';
import type { Logger } from 'pino';
import type { Statement } from '../../platform/store/pool.js';
import type { SentEvent } from '../status/status.js';
import type { EndEvent } from '../status/status-store.js';

/** What became of a send as far as its carrier's answer goes. */
export interface SendResult {
  /** `sent` once a carrier took it, even if a receipt came since; otherwise its final status. */
  status: 'sent' | 'failed' | 'rejected' | 'expired' | 'canceled';
  carrierMessageId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}

type Settle = (result: SendResult | null) => void;

const LOOK_EVERY_MS = 25;

const FIND_RESULTS: Statement = {
  name: 'results-find',
  text: `SELECT m.id, CASE WHEN m.sent_at IS NOT NULL THEN 'sent' ELSE m.status::text END AS status,
                m.carrier_message_id AS "carrierMessageId", m.error_code AS "errorCode",
                m.error_message AS "errorMessage"
         FROM unnest($1::uuid[]) AS waiting(id) JOIN messages m ON m.id = waiting.id
         WHERE m.status NOT IN ('queued', 'sending')`,
};

/**
 * Requests that wait for the carrier's answer to what they sent. A send of this process is settled by its own status
 * writer; for those of other processes one query every 25 ms asks after all that wait.
 */
export class SendResults {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #waiting = new Map<string, Set<Settle>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#log = log;
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
          ? { status: 'sent', carrierMessageId: event.carrierMessageId, errorCode: null, errorMessage: null }
          : {
              status: event.status,
              carrierMessageId: null,
              errorCode: event.errorCode,
              errorMessage: event.errorMessage,
            },
      );
    }
  }

  /** Lets those go without a result who wait for that of one message. */
  letGo(messageId: string): void {
    this.#settle(messageId, null);
  }

  /** Lets everybody go without a result. */
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
        const { rows } = await this.#pool.query<SendResult & { id: string }>({
          ...FIND_RESULTS,
          values: [[...this.#waiting.keys()]],
        });
        for (const { id, ...result } of rows) this.#settle(id, result);
      } catch (error) {
        this.#log.warn({ err: error }, 'results of sends could not be looked up');
      } finally {
        this.#timer = undefined;
        this.#arm();
      }
    }, LOOK_EVERY_MS);
  }
}
