import type pg from 'pg';
import type { Logger } from 'pino';
import { toStorableId } from '../../../carriers/carrier-message-id.js';
import { FailureLog } from '../../../platform/log/failure-log.js';
import type { EndEvent, SentEvent } from '../../status/events.js';
import { findResults, type SendResult } from './result-store.js';

type Resolve = (result: SendResult | null) => void;

const POLL_INTERVAL_MS = 25;

/** Waits for messages that other processes send, with one query every 25 ms for all waiting requests. */
export class SendResults {
  readonly #pool: pg.Pool;
  readonly #failures: FailureLog;
  readonly #waiting = new Map<string, Set<Resolve>>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#failures = new FailureLog({ log, level: 'warn' });
  }

  /** Resolves with null after the timeout. */
  wait(messageId: string, timeoutMs: number): Promise<SendResult | null> {
    if (this.#stopped) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(messageId) ?? new Set();
      const settle: Resolve = (result) => {
        clearTimeout(timer);
        waiters.delete(settle);
        if (waiters.size === 0) this.#waiting.delete(messageId);
        resolve(result);
      };
      const timer = setTimeout(() => settle(null), timeoutMs);
      this.#waiting.set(messageId, waiters.add(settle));
      this.#scheduleLookup();
    });
  }

  publish(events: readonly (SentEvent | EndEvent)[]): void {
    if (this.#waiting.size === 0) return;
    for (const event of events) {
      this.#settle(
        event.id,
        event.type === 'sent'
          ? {
              status: 'sent',
              carrierMessageId: toStorableId(event.carrierMessageId),
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

  abandon(messageId: string): void {
    this.#settle(messageId, null);
  }

  close(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const id of [...this.#waiting.keys()]) this.#settle(id, null);
  }

  #settle(messageId: string, result: SendResult | null): void {
    for (const settle of [...(this.#waiting.get(messageId) ?? [])]) settle(result);
  }

  #scheduleLookup(): void {
    if (this.#timer || this.#waiting.size === 0 || this.#stopped) return;
    this.#timer = setTimeout(async () => {
      try {
        const results = await findResults(this.#pool, [...this.#waiting.keys()]);
        for (const { id, ...result } of results) this.#settle(id, result);
      } catch (error) {
        this.#failures.report(error, 'cannot look up results of sends');
      } finally {
        this.#timer = undefined;
        this.#scheduleLookup();
      }
    }, POLL_INTERVAL_MS);
  }
}
