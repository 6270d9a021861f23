import type pg from 'pg';
import type { Logger } from 'pino';
import { BatchWriter } from '../../platform/background/batch-writer.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { type LoggedCall, writeCalls } from './call-store.js';
import type { CallSink, HttpExchange } from './client.js';
import { redactCall } from './redacted-call.js';
import { createRedactor, maskSecret } from './redaction.js';

/** In characters. */
const LONGEST_TEXT = 2_048;
/** Limit for each carrier and process, applied separately to failed and to successful calls. */
const MAX_PER_SECOND = 100;
/** About 20 MB. */
const MAX_WAITING = 4_000;

/** At high rates, only some carrier calls are logged. */
export class CallLog {
  readonly #clock: Clock;
  readonly #batches: BatchWriter<LoggedCall>;
  readonly #secrets = new Map<string, string>();

  constructor({ pool, log, clock }: { pool: pg.Pool; log: Logger; clock: Clock }) {
    this.#clock = clock;
    this.#batches = new BatchWriter({
      log,
      countField: 'calls',
      failure: 'HTTP calls of carriers could not be logged',
      maxPending: MAX_WAITING,
      write: (calls) => writeCalls(pool, calls),
    });
  }

  async withHiddenSecret<T>(messageId: string, secret: string, work: () => Promise<T>): Promise<T> {
    this.#secrets.set(messageId, secret);
    try {
      return await work();
    } finally {
      this.#secrets.delete(messageId);
    }
  }

  createSink(carrier: string, secrets: readonly string[]): CallSink {
    const redact = createRedactor(secrets);
    const quota = new Quota();
    return {
      record: (exchange) => {
        const hasFailed = !isSuccess(exchange);
        if (!quota.use(hasFailed)) return;
        const { call, milliseconds } = exchange;
        const secret = call.messageId === undefined ? undefined : this.#secrets.get(call.messageId);
        const hideSecret = (text: string) => (secret === undefined ? text : maskSecret(text, secret));
        const prepare = (text: string) => truncate(redact(hideSecret(text)));
        this.#batches.add({
          id: newId(),
          carrier,
          at: new Date(this.#clock.now().getTime() - milliseconds),
          messageId: call.messageId ?? null,
          ...redactCall(exchange, prepare),
          failed: hasFailed,
        });
      },
    };
  }

  close(): Promise<void> {
    return this.#batches.close();
  }
}

function isSuccess({ answer }: HttpExchange): boolean {
  return answer !== null && answer.status >= 200 && answer.status <= 299;
}

function truncate(text: string): string {
  const excess = text.length - LONGEST_TEXT;
  return excess > 0 ? `${text.slice(0, LONGEST_TEXT)}… (${excess} more characters)` : text;
}

class Quota {
  #second = -1;
  readonly #remaining = { failed: 0, other: 0 };

  use(failed: boolean): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#remaining.failed = this.#remaining.other = MAX_PER_SECOND;
    }
    return this.#remaining[failed ? 'failed' : 'other']-- > 0;
  }
}
