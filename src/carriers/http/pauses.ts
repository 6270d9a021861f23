import { type BackoffOptions, backoffMs } from '../../platform/background/backoff.js';

/** How many keys are remembered before old ones are looked for and forgotten. */
const MANY_KEYS = 10_000;
/** A key is forgotten this long after its pause ended: the next one begins small again. */
const FORGET_AFTER_MS = 10 * 60_000;

interface Pause {
  /** By `performance.now()`. */
  until: number;
  /** Pauses in a row. */
  count: number;
}

/** What is to be left alone for a while, by key; each pause in a row is longer than the last. */
export class Pauses {
  readonly #options: BackoffOptions;
  readonly #pauses = new Map<string, Pause>();

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Milliseconds that are left of a pause; 0 when there is none. */
  left(key: string): number {
    const pause = this.#pauses.get(key);
    return pause ? Math.max(0, pause.until - performance.now()) : 0;
  }

  /**
   * Begins a pause. Of sends that were under way at the same time, the first one to fail makes it longer, the others do
   * not.
   * @param askedMs what the other side asks for; it is obeyed where it is longer
   * @returns milliseconds that are left of it
   */
  begin(key: string, askedMs: number | null): number {
    const now = performance.now();
    const known = this.#pauses.get(key);
    const running = known !== undefined && known.until > now;
    const count = (known?.count ?? 0) + (running ? 0 : 1);
    const own = backoffMs(count, this.#options);
    const begun = running ? known.until : now + own;
    const until = Math.max(begun, now + (askedMs ?? 0));
    this.#pauses.set(key, { until, count });
    if (this.#pauses.size > MANY_KEYS) this.#forgetOld(now);
    return until - now;
  }

  /** Forgets how many pauses there were in a row, unless one runs. */
  succeeded(key: string): void {
    if (this.#pauses.size > 0 && this.left(key) === 0) this.#pauses.delete(key);
  }

  #forgetOld(now: number): void {
    for (const [key, { until }] of this.#pauses) if (until + FORGET_AFTER_MS < now) this.#pauses.delete(key);
  }
}
