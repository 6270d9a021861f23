import type { Logger } from 'pino';
import { Repeats } from './repeats.js';

export interface SaidOnceOptions {
  log: Logger;
  level: 'warn' | 'error';
  /** Milliseconds after which a reason that has not come is told again; half a minute unless told. */
  quietMs?: number;
  /** Milliseconds of a clock that never goes back; the process's own unless told. */
  now?(): number;
}

/**
 * Logs failures that come in hundreds, as all requests of a store that is full fail for the same reason: a reason once,
 * until it has not come for half a minute, whichever others come between; then how often it came. The repetitions are
 * lines of the level debug.
 */
export class SaidOnce {
  readonly #log: Logger;
  readonly #level: SaidOnceOptions['level'];
  readonly #repeats: Repeats;
  /** What was said last of each reason. */
  readonly #messages = new Map<string, string>();

  constructor({ log, level, quietMs, now }: SaidOnceOptions) {
    this.#log = log;
    this.#level = level;
    this.#repeats = new Repeats({
      quietMs,
      now,
      onCount: (reason, times) => log[level]({ reason, times }, `again: ${this.#messages.get(reason)}`),
      onForgotten: (reason) => this.#messages.delete(reason),
    });
  }

  /**
   * @param error or the reason in words
   * @param details logged beside the error
   */
  say(error: unknown, message: string, details: object = {}): void {
    const reason = reasonOf(error);
    const isRepeated = this.#repeats.isRepeated(reason);
    this.#messages.set(reason, message);
    const said = typeof error === 'string' ? { reason: error } : { err: error };
    this.#log[isRepeated ? 'debug' : this.#level]({ ...said, ...details }, message);
  }
}

interface Failure {
  cause?: unknown;
  code?: unknown;
  message?: unknown;
  /** Where Prisma keeps what its driver said. */
  meta?: { driverAdapterError?: unknown };
}

/**
 * What makes two failures the same: the code that PostgreSQL or a socket gave, else the text. Looked for in the causes
 * first, which know more.
 */
export function reasonOf(error: unknown, deepest = 8): string {
  const { cause, code, message, meta } = (error ?? {}) as Failure;
  const below = cause ?? meta?.driverAdapterError;
  if (deepest > 0 && below !== undefined && below !== null) return reasonOf(below, deepest - 1);
  return typeof code === 'string' ? code : String(message ?? error);
}
