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
 * until it has not come for half a minute or another one came. The others are lines of the level debug.
 */
export class SaidOnce {
  readonly #log: Logger;
  readonly #level: SaidOnceOptions['level'];
  readonly #now: () => number;
  #reason: string | null = null;
  #lastAt = 0;

  constructor({ log, level, now = () => performance.now() }: SaidOnceOptions) {
    this.#log = log;
    this.#level = level;
    this.#now = now;
  }

  /** @param details logged beside the error */
  say(error: unknown, message: string, details: object = {}): void {
    const now = this.#now();
    const reason = reasonOf(error);
    const known = reason === this.#reason && now - this.#lastAt < QUIET_MS;
    this.#reason = reason;
    this.#lastAt = now;
    this.#log[known ? 'debug' : this.#level]({ err: error, ...details }, message);
  }
}

/**
 * What makes two failures the same: the code that PostgreSQL or a socket gave, else the text. Looked for in the causes
 * first, which know more.
 */
export function reasonOf(error: unknown): string {
  const { cause, code, message } = (error ?? {}) as { cause?: unknown; code?: unknown; message?: unknown };
  if (cause !== undefined && cause !== null) return reasonOf(cause);
  return typeof code === 'string' ? code : String(message ?? error);
}
