import type { CarrierState } from '../../carrier.js';
import type { Pdu } from '../wire/pdu.js';
import type { SubmitSm } from '../wire/submit-sm.js';
import type { Bind } from './bind.js';
import { down, notSubmitted, paused } from './submit-error.js';

/** A pause that lasts longer sends the waiting back, so that another carrier may have them. */
const PATIENCE_MS = 1_000;
/** What is asked for while a bind is being made. */
const CONNECTING_MS = 250;

interface Waiting {
  fields: SubmitSm;
  signal: AbortSignal;
  resolve(response: Promise<Pdu>): void;
  reject(error: Error): void;
}

/** Hands submits to whichever bind may send next, in the order in which they came. */
export class Dispatcher {
  readonly #binds: readonly Bind[];
  readonly #waiting = new Set<Waiting>();
  readonly #watched = new WeakSet<AbortSignal>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param binds those that transmit */
  constructor(binds: readonly Bind[]) {
    this.#binds = binds;
  }

  /** @param now the carrier's clock, for `until` */
  state(now: Date): CarrierState {
    const after = (ms: number) => new Date(now.getTime() + ms);
    if (!this.#binds.some(({ ready }) => ready)) {
      const { reason, inMs } = this.#downFor();
      return { up: false, until: after(inMs), reason };
    }
    const pauseMs = this.#resumesAt() - performance.now();
    return pauseMs > 0 ? { up: false, until: after(pauseMs), reason: 'the SMSC throttles' } : { up: true };
  }

  /**
   * Sends a submit and resolves with its response.
   * @throws {CarrierError} `notTried` when it could not leave
   * @throws {NoResponseError} when it left and was not answered
   */
  send(fields: SubmitSm, signal: AbortSignal): Promise<Pdu> {
    if (signal.aborted || this.#closed) return Promise.reject(notSubmitted());
    return new Promise((resolve, reject) => {
      this.#waiting.add({ fields, signal, resolve, reject });
      this.#watch(signal);
      this.dispatch();
    });
  }

  /** To be called whenever a bind stands, falls, or has room again. */
  dispatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.size > 0) {
      const bind = this.#next();
      if (!bind) {
        const { reason, inMs } = this.#downFor();
        this.#rejectAll(down(reason, inMs));
        return;
      }
      const now = performance.now();
      const at = bind.pacer.nextAt();
      if (at > now) {
        const pauseMs = this.#resumesAt() - now;
        if (pauseMs > PATIENCE_MS) this.#rejectAll(paused(pauseMs));
        // While every window is full, the next response calls.
        else if (at < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.dispatch(), Math.ceil(at - now));
        return;
      }
      const [waiting] = this.#waiting as unknown as [Waiting];
      this.#waiting.delete(waiting);
      waiting.resolve(bind.submit(waiting.fields));
    }
  }

  /** Rejects what waits, and all that comes later. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#rejectAll(notSubmitted());
  }

  /** The bind that may send soonest; of several, the one that waits for the fewest responses. */
  #next(): Bind | null {
    const now = performance.now();
    let best: Bind | null = null;
    let bestAt = Number.POSITIVE_INFINITY;
    for (const bind of this.#binds) {
      if (!bind.ready) continue;
      const at = Math.max(now, bind.pacer.nextAt());
      if (!best || at < bestAt || (at === bestAt && bind.pacer.inFlight < best.pacer.inFlight)) {
        best = bind;
        bestAt = at;
      }
    }
    return best;
  }

  /** When the first bind that stands ends its pause. */
  #resumesAt(): number {
    let soonest = Number.POSITIVE_INFINITY;
    for (const { ready, pacer } of this.#binds) if (ready) soonest = Math.min(soonest, pacer.pausedUntil);
    return soonest;
  }

  #downFor(): { reason: string; inMs: number } {
    const [first] = this.#binds;
    if (!first) return { reason: 'the bind type is receiver', inMs: CONNECTING_MS };
    const soonest = this.#binds.reduce((a, b) => (b.retryInMs < a.retryInMs ? b : a), first);
    return { reason: soonest.reason, inMs: soonest.retryInMs || CONNECTING_MS };
  }

  #rejectAll(error: Error): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }

  /** Once for the many messages of a batch, which share a signal. */
  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return;
    this.#watched.add(signal);
    signal.addEventListener('abort', () => this.#giveBack(signal), { once: true });
  }

  #giveBack(signal: AbortSignal): void {
    for (const waiting of this.#waiting) {
      if (waiting.signal !== signal) continue;
      this.#waiting.delete(waiting);
      waiting.reject(notSubmitted());
    }
  }
}
