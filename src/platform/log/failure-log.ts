import type { Logger } from 'pino';
import { RepeatCounter } from './repeat-counter.js';

export interface FailureLogOptions {
  log: Logger;
  level: 'warn' | 'error';
  /** Milliseconds after which a reason is logged again. Default: 30 s. */
  quietMs?: number;
  /** A monotonic clock in milliseconds. Default: `performance.now()`. */
  now?(): number;
}

/**
 * Logs failures that occur in large numbers, for example all requests of a full store. Each reason is logged once,
 * until it has not occurred for half a minute; then its count is logged. Repetitions go to the level `debug`.
 */
export class FailureLog {
  readonly #log: Logger;
  readonly #level: FailureLogOptions['level'];
  readonly #repeats: RepeatCounter;
  /** The last message of each reason. */
  readonly #messages = new Map<string, string>();

  constructor({ log, level, quietMs, now }: FailureLogOptions) {
    this.#log = log;
    this.#level = level;
    this.#repeats = new RepeatCounter({
      quietMs,
      now,
      onCount: (reason, times) => log[level]({ reason, times }, `again: ${this.#messages.get(reason)}`),
      onForgotten: (reason) => this.#messages.delete(reason),
    });
  }

  /**
   * @param error an error, or the reason as text
   * @param details additional fields
   */
  report(error: unknown, message: string, details: object = {}): void {
    const reason = findReason(error);
    const isRepeated = this.#repeats.isRepeated(reason);
    this.#messages.set(reason, message);
    const reasonFields = typeof error === 'string' ? { reason: error } : { err: error };
    this.#log[isRepeated ? 'debug' : this.#level]({ ...reasonFields, ...details }, message);
  }
}

interface Failure {
  cause?: unknown;
  code?: unknown;
  message?: unknown;
  /** Where Prisma stores the error of its driver. */
  meta?: { driverAdapterError?: unknown };
}

/**
 * Returns what makes two failures the same: the code of PostgreSQL or a socket, or else the text. Causes are checked
 * first, because they are more specific.
 */
export function findReason(error: unknown, maxDepth = 8): string {
  const { cause, code, message, meta } = (error ?? {}) as Failure;
  const inner = cause ?? meta?.driverAdapterError;
  if (maxDepth > 0 && inner !== undefined && inner !== null) return findReason(inner, maxDepth - 1);
  return typeof code === 'string' ? code : String(message ?? error);
}
