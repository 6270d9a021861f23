/** Tries under way at once to one endpoint that answers well, unless told; to one that is slow, a quarter of it. */
export const MAX_AT_ONCE = 32;
/** An answer that takes longer makes an endpoint slow. */
const SLOW_MS = 1_000;
/** Failures in a row after which an endpoint is asked only now and then, and the waits between, in milliseconds. */
const FAILURES_BEFORE_PAUSE = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/**
 * How an endpoint does: `steady` answers well, `new` has not answered yet, `trouble` is slow or fails. Each kind has
 * slots of its own, so that none of them waits for another.
 */
export type Standing = 'steady' | 'new' | 'trouble';

/** What a process knows of one endpoint. Times are milliseconds of a monotonic clock. */
export class Endpoint {
  /** Deliveries under way and when each began, the oldest first. */
  readonly #underWay = new Map<string, number>();
  readonly #maxAtOnce: number;
  #limit = 1;
  #failuresInRow = 0;
  #pauses = 0;
  #pausedUntil = 0;
  #last: Standing;
  /** Where its tries go, once there was one. */
  url: string | null = null;
  /** When it was given slots last; the one that waits longest comes first. */
  servedAt = 0;

  /**
   * @param failing whether its deliveries are known to fail
   * @param maxAtOnce tries at once where it answers well
   */
  constructor(failing: boolean, maxAtOnce: number = MAX_AT_ONCE) {
    this.#maxAtOnce = maxAtOnce;
    this.#last = failing ? 'trouble' : 'new';
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  has(deliveryId: string): boolean {
    return this.#underWay.has(deliveryId);
  }

  /** A try that hangs tells of trouble before it ends. */
  standing(now: number): Standing {
    const [oldest] = this.#underWay.values();
    return oldest !== undefined && now - oldest > SLOW_MS ? 'trouble' : this.#last;
  }

  /** How many more tries may begin. */
  free(now: number): number {
    if (now < this.#pausedUntil) return 0;
    const slowLimit = Math.max(1, Math.floor(this.#maxAtOnce / 4));
    const limit = this.standing(now) === 'trouble' ? Math.min(this.#limit, slowLimit) : this.#limit;
    return Math.max(0, limit - this.#underWay.size);
  }

  /** Whether enough of its slots are free for another claim to be worth its query. */
  hasRoom(now: number): boolean {
    return this.free(now) >= this.#limit / 4;
  }

  begin(deliveryId: string, now: number): void {
    this.#underWay.set(deliveryId, now);
  }

  /** Success doubles what it may have under way at once, failure halves it; failures in a row make it pause. */
  end(deliveryId: string, ok: boolean, now: number): void {
    const slow = now - (this.#underWay.get(deliveryId) ?? now) > SLOW_MS;
    this.#underWay.delete(deliveryId);
    this.#last = ok && !slow ? 'steady' : 'trouble';
    if (ok) {
      this.#failuresInRow = 0;
      this.#pauses = 0;
      this.#pausedUntil = 0;
      this.#limit = Math.min(this.#limit * 2, this.#maxAtOnce);
      return;
    }
    this.#failuresInRow += 1;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    if (this.#failuresInRow >= FAILURES_BEFORE_PAUSE && now >= this.#pausedUntil) {
      this.#pausedUntil = now + Math.min(FIRST_PAUSE_MS * 2 ** this.#pauses, MAX_PAUSE_MS);
      this.#pauses += 1;
    }
  }

  /** Forgets a try that was broken off from this side. */
  drop(deliveryId: string): void {
    this.#underWay.delete(deliveryId);
  }
}
