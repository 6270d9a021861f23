import type pg from 'pg';
import type { Logger } from 'pino';
import { BatchLog } from '../../platform/background/batch-log.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { type LoggedCall, writeCalls } from './call-store.js';
import type { CallSink, HttpTry } from './client.js';
import { redaction, withoutSecret } from './redaction.js';
import { toldOf } from './told-call.js';

/** What is kept of a body, and of an address, in characters. */
const LONGEST_TEXT = 2_048;
/** Calls of a carrier that a process logs in a second: so many that failed, and so many others. */
const MOST_A_SECOND = 100;
/** About 20 MB. */
const MOST_WAITING = 4_000;

/**
 * Writes down what carriers over HTTP are asked and what they answer, for operators: secrets out, texts shortened, beside the
 * sending. Of very many calls in a second it keeps some.
 */
export class CallLog {
  readonly #clock: Clock;
  readonly #batches: BatchLog<LoggedCall>;
  /** What calls for a message must not tell, by its id. */
  readonly #hidden = new Map<string, string>();

  constructor({ pool, log, clock }: { pool: pg.Pool; log: Logger; clock: Clock }) {
    this.#clock = clock;
    this.#batches = new BatchLog({
      log,
      entries: 'calls',
      failure: 'calls of carriers could not be written down',
      mostWaiting: MOST_WAITING,
      write: (calls) => writeCalls(pool, calls),
    });
  }

  /** Keeps a secret that a message carries out of what is written down of calls for it, while some work goes on. */
  async hiding<T>(messageId: string, secret: string, work: () => Promise<T>): Promise<T> {
    this.#hidden.set(messageId, secret);
    try {
      return await work();
    } finally {
      this.#hidden.delete(messageId);
    }
  }

  /**
   * Where a carrier tells of its calls.
   * @param secrets of its settings, as they are used
   */
  of(carrier: string, secrets: readonly string[]): CallSink {
    const redact = redaction(secrets);
    const share = new Share();
    return {
      note: (tried) => {
        const failed = !isSuccess(tried);
        if (!share.take(failed)) return;
        const { call, milliseconds } = tried;
        const secret = call.messageId === undefined ? undefined : this.#hidden.get(call.messageId);
        const hidden = (text: string) => (secret === undefined ? text : withoutSecret(text, secret));
        const kept = (text: string) => shortened(redact(hidden(text)));
        this.#batches.add({
          id: newId(),
          carrier,
          at: new Date(this.#clock.now().getTime() - milliseconds),
          messageId: call.messageId ?? null,
          ...toldOf(tried, kept),
          failed,
        });
      },
    };
  }

  /** Stores what waits. */
  close(): Promise<void> {
    return this.#batches.close();
  }
}

function isSuccess({ answer }: HttpTry): boolean {
  return answer !== null && answer.status >= 200 && answer.status <= 299;
}

function shortened(text: string): string {
  const more = text.length - LONGEST_TEXT;
  return more > 0 ? `${text.slice(0, LONGEST_TEXT)}… (${more} characters more)` : text;
}

/** How many calls of each kind may still be logged in the second that runs. */
class Share {
  #second = -1;
  readonly #left = { failed: 0, other: 0 };

  take(failed: boolean): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#left.failed = this.#left.other = MOST_A_SECOND;
    }
    return this.#left[failed ? 'failed' : 'other']-- > 0;
  }
}
