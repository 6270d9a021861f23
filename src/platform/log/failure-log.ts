import type { Logger } from 'pino';
import { RepeatCounter } from './repeat-counter.js';

export interface FailureLogOptions {
  log: Logger;
  level: 'warn' | 'error';
  /** Default: 30 s. */
  quietMs?: number;
  /** Monotonic, in milliseconds. Default: `performance.now()`. */
  now?(): number;
}

/** Logs each failure reason once, and later how often it was repeated. */
export class FailureLog {
  readonly #log: Logger;
  readonly #level: FailureLogOptions['level'];
  readonly #repeats: RepeatCounter;
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
  /** Prisma stores the error of the database driver in `driverAdapterError`. */
  meta?: { driverAdapterError?: unknown };
}

/**
 * Returns the error code of PostgreSQL or the socket, or the message of an error without a code. Prefers the `cause`
 * of an error, which is more specific.
 */
export function findReason(error: unknown, maxDepth = 8): string {
  const { cause, code, message, meta } = (error ?? {}) as Failure;
  const inner = cause ?? meta?.driverAdapterError;
  if (maxDepth > 0 && inner !== undefined && inner !== null) return findReason(inner, maxDepth - 1);
  return typeof code === 'string' ? code : String(message ?? error);
}
