/** Limit for concurrent attempts to one endpoint. A slow endpoint gets a quarter of this limit. */
export const MAX_CONCURRENT = 32;
const SLOW_MS = 1_000;
/** After this many consecutive failures, attempts to the endpoint pause, each time for longer. */
const FAILURES_BEFORE_PAUSE = 5;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/**
 * `new` endpoints have not responded yet, and endpoints in `trouble` are slow or fail. Each state has its own slots, so
 * that no state waits for another.
 */
export type EndpointState = 'steady' | 'new' | 'trouble';

/** Times are in milliseconds of a monotonic clock. */
export class Endpoint {
  /** Start times of attempts by delivery, oldest first. */
  readonly #inFlight = new Map<string, number>();
  readonly #maxConcurrent: number;
  #limit = 1;
  #failuresInRow = 0;
  #pauses = 0;
  #pausedUntil = 0;
  #lastState: EndpointState;
  url: string | null = null;
  servedAt = 0;

  constructor(failing: boolean, maxConcurrent: number = MAX_CONCURRENT) {
    this.#maxConcurrent = maxConcurrent;
    this.#lastState = failing ? 'trouble' : 'new';
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  hasDelivery(deliveryId: string): boolean {
    return this.#inFlight.has(deliveryId);
  }

  /** An attempt that hangs counts as trouble before it ends. */
  getState(now: number): EndpointState {
    const [oldest] = this.#inFlight.values();
    return oldest !== undefined && now - oldest > SLOW_MS ? 'trouble' : this.#lastState;
  }

  countFreeSlots(now: number): number {
    if (now < this.#pausedUntil) return 0;
    const slowLimit = Math.max(1, Math.floor(this.#maxConcurrent / 4));
    const limit = this.getState(now) === 'trouble' ? Math.min(this.#limit, slowLimit) : this.#limit;
    return Math.max(0, limit - this.#inFlight.size);
  }

  /** Whether enough slots are free to justify a query for more deliveries. */
  hasRoom(now: number): boolean {
    return this.countFreeSlots(now) >= this.#limit / 4;
  }

  begin(deliveryId: string, now: number): void {
    this.#inFlight.set(deliveryId, now);
  }

  end(deliveryId: string, ok: boolean, now: number): void {
    const isSlow = now - (this.#inFlight.get(deliveryId) ?? now) > SLOW_MS;
    this.#inFlight.delete(deliveryId);
    this.#lastState = ok && !isSlow ? 'steady' : 'trouble';
    if (ok) {
      this.#failuresInRow = 0;
      this.#pauses = 0;
      this.#pausedUntil = 0;
      this.#limit = Math.min(this.#limit * 2, this.#maxConcurrent);
      return;
    }
    this.#failuresInRow += 1;
    this.#limit = Math.max(1, Math.floor(this.#limit / 2));
    if (this.#failuresInRow >= FAILURES_BEFORE_PAUSE && now >= this.#pausedUntil) {
      this.#pausedUntil = now + Math.min(FIRST_PAUSE_MS * 2 ** this.#pauses, MAX_PAUSE_MS);
      this.#pauses += 1;
    }
  }

  drop(deliveryId: string): void {
    this.#inFlight.delete(deliveryId);
  }
}
