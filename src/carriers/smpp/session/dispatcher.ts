import { isOver } from '../../../platform/deadline.js';
import { onAbort } from '../../../platform/on-abort.js';
import type { CarrierState } from '../../carrier.js';
import type { Departure } from '../../departure.js';
import type { Pdu } from '../wire/pdu.js';
import type { SubmitSm } from '../wire/submit-sm.js';
import type { Bind } from './bind.js';
import { down, notSubmitted, paused } from './submit-error.js';

/** A pause that lasts longer sends the waiting back, so that another carrier may have them. */
const PATIENCE_MS = 1_000;
/** What is asked for while a bind is being made. */
const CONNECTING_MS = 250;

/** A submit that waits for its turn. */
export interface QueuedSubmit {
  /** Called when it leaves, so that its validity period is the one that is left then. */
  fields(): SubmitSm;
  /** Fires when it must not leave any more. */
  signal: AbortSignal;
  /** Checked when it leaves. */
  departure?: Departure | undefined;
}

interface Waiting extends QueuedSubmit {
  resolve(response: Promise<Pdu>): void;
  reject(error: Error): void;
}

/** Hands submits to whichever bind may send next, in the order in which they came. */
export class Dispatcher {
  readonly #binds: readonly Bind[];
  readonly #waiting = new Set<Waiting>();
  /** By signal, which the many messages of a batch share: who waits on it, and how it is listened to no more. */
  readonly #watched = new Map<AbortSignal, { waiting: Set<Waiting>; unlisten(): void }>();
  #timer: NodeJS.Timeout | undefined;
  /** The first in line, while it is checked whether it may still leave. */
  #checked: Waiting | null = null;
  /** It was checked just now. */
  #allowed: Waiting | null = null;
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
   * @throws {CarrierError} `notTried` when it could not leave, or must not any more
   * @throws {NoResponseError} when it left and was not answered
   */
  send(submit: QueuedSubmit): Promise<Pdu> {
    if (isOver(submit.signal) || this.#closed) return Promise.reject(notSubmitted());
    return new Promise((resolve, reject) => {
      const waiting = { ...submit, resolve, reject };
      this.#waiting.add(waiting);
      this.dispatch();
      // Most have left by now.
      if (this.#waiting.has(waiting)) this.#watch(waiting);
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
      if (isOver(waiting.signal, now)) this.#reject(waiting, notSubmitted());
      else if (this.#mayLeave(waiting)) {
        this.#remove(waiting);
        waiting.resolve(bind.submit(waiting.fields()));
      } else if (this.#checked) return;
    }
  }

  /** @returns false when it was rejected, or while it is being checked */
  #mayLeave(waiting: Waiting): boolean {
    if (this.#allowed === waiting) return true;
    if (this.#checked === waiting) return false;
    try {
      const checking = waiting.departure?.check();
      if (!checking) return true;
      this.#checked = waiting;
      checking.then(
        () => this.#wasChecked(waiting, null),
        (error: Error) => this.#wasChecked(waiting, error),
      );
    } catch (error) {
      this.#reject(waiting, error as Error);
    }
    return false;
  }

  /** @param error why it must not leave; null when it may */
  #wasChecked(waiting: Waiting, error: Error | null): void {
    if (this.#checked === waiting) this.#checked = null;
    if (error) this.#reject(waiting, error);
    // What was read counts for this moment alone: without room it is checked again.
    else this.#allowed = waiting;
    this.dispatch();
    this.#allowed = null;
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
    for (const waiting of [...this.#waiting]) this.#reject(waiting, error);
  }

  #reject(waiting: Waiting, error: Error): void {
    this.#remove(waiting);
    waiting.reject(error);
  }

  #watch(waiting: Waiting): void {
    const { signal } = waiting;
    const others = this.#watched.get(signal);
    if (others) others.waiting.add(waiting);
    else {
      const unlisten = onAbort(signal, () => this.#giveBack(signal));
      this.#watched.set(signal, { waiting: new Set([waiting]), unlisten });
    }
  }

  /** A signal may outlive all that wait on it. */
  #remove(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    const watched = this.#watched.get(waiting.signal);
    if (!watched?.waiting.delete(waiting) || watched.waiting.size > 0) return;
    watched.unlisten();
    this.#watched.delete(waiting.signal);
  }

  #giveBack(signal: AbortSignal): void {
    for (const waiting of [...(this.#watched.get(signal)?.waiting ?? [])]) this.#reject(waiting, notSubmitted());
  }
}
