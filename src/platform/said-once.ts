import type { Logger } from 'pino';

/** After so many milliseconds without it, a reason is told again. */
const QUIET_MS = 30_000;

export interface SaidOnceOptions {
  log: Logger;
  level: 'warn' | 'error';
  /** Milliseconds of a clock that never goes back; the process's own unless told. */
  now?(): number;
}

/**
 * Logs failures that come in hundreds, as all requests of a store that is full fail for the same reason: a reason once,
 * until it has not come for half a minute, whichever others come between. The repetitions are lines of the level debug.
 */
export class SaidOnce {
  readonly #log: Logger;
  readonly #level: SaidOnceOptions['level'];
  readonly #now: () => number;
  /** When each reason came last; those that are gone for half a minute leave. */
  readonly #lastAt = new Map<string, number>();

  constructor({ log, level, now = () => performance.now() }: SaidOnceOptions) {
    this.#log = log;
    this.#level = level;
    this.#now = now;
  }

  /** @param details logged beside the error */
  say(error: unknown, message: string, details: object = {}): void {
    const now = this.#now();
    const reason = reasonOf(error);
    const known = now - (this.#lastAt.get(reason) ?? Number.NEGATIVE_INFINITY) < QUIET_MS;
    if (!known) this.#forget(now);
    this.#lastAt.set(reason, now);
    this.#log[known ? 'debug' : this.#level]({ err: error, ...details }, message);
  }

  #forget(now: number): void {
    for (const [reason, lastAt] of this.#lastAt) if (now - lastAt >= QUIET_MS) this.#lastAt.delete(reason);
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
export function reasonOf(error: unknown): string {
  const { cause, code, message, meta } = (error ?? {}) as Failure;
  const below = cause ?? meta?.driverAdapterError;
  if (below !== undefined && below !== null) return reasonOf(below);
  return typeof code === 'string' ? code : String(message ?? error);
}
