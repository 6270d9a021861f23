import { isPastDeadline } from '../../../platform/deadline.js';
import { onAbort } from '../../../platform/on-abort.js';
import type { CarrierState } from '../../carrier.js';
import type { Departure } from '../../departure.js';
import type { Pdu } from '../wire/pdu.js';
import type { SubmitSm } from '../wire/submit-sm.js';
import type { Bind } from './bind.js';
import { createDownError, createNotSubmittedError, createThrottledError } from './submit-error.js';

/** If throttling lasts longer, queued submits fail, so that another carrier can send their messages. */
const MAX_WAIT_MS = 1_000;
const CONNECTING_RETRY_MS = 250;

export interface QueuedSubmit {
  /** Called right before sending, so that the validity period is up to date. */
  fields(): SubmitSm;
  signal: AbortSignal;
  /** Checked just before sending. */
  departure?: Departure | undefined;
}

interface PendingSubmit extends QueuedSubmit {
  resolve(response: Promise<Pdu>): void;
  reject(error: Error): void;
}

/** Distributes submits among binds in order of arrival. */
export class Dispatcher {
  readonly #binds: readonly Bind[];
  readonly #queue = new Set<PendingSubmit>();
  /**
   * Listeners are shared per signal, because the messages of a batch share a signal and a listener per message would be
   * slow.
   */
  readonly #abortListeners = new Map<AbortSignal, { pending: Set<PendingSubmit>; removeListener(): void }>();
  #timer: NodeJS.Timeout | undefined;
  #checkingSubmit: PendingSubmit | null = null;
  #clearedSubmit: PendingSubmit | null = null;
  #closed = false;

  /** @param binds can transmit */
  constructor(binds: readonly Bind[]) {
    this.#binds = binds;
  }

  state(now: Date): CarrierState {
    const dateIn = (ms: number) => new Date(now.getTime() + ms);
    if (!this.#binds.some(({ isReady }) => isReady)) {
      const { reason, inMs } = this.#describeDown();
      return { up: false, until: dateIn(inMs), reason };
    }
    const pauseMs = this.#resumesAt() - performance.now();
    return pauseMs > 0 ? { up: false, until: dateIn(pauseMs), reason: 'the SMSC is throttling' } : { up: true };
  }

  /**
   * Rejects with a CarrierError with `notTried` if the message could not be sent, and with a NoResponseError if the
   * response is missing.
   * @throws {CarrierError}
   * @throws {NoResponseError}
   */
  send(submit: QueuedSubmit): Promise<Pdu> {
    if (isPastDeadline(submit.signal) || this.#closed) return Promise.reject(createNotSubmittedError());
    return new Promise((resolve, reject) => {
      const pending = { ...submit, resolve, reject };
      this.#queue.add(pending);
      this.dispatch();
      // Most submits are sent immediately and need no listener.
      if (this.#queue.has(pending)) this.#listenForAbort(pending);
    });
  }

  /** Must be called when a bind comes up, goes down, or has room in its window. */
  dispatch(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#queue.size > 0) {
      const bind = this.#pickBind();
      if (!bind) {
        const { reason, inMs } = this.#describeDown();
        this.#rejectAll(createDownError(reason, inMs));
        return;
      }
      const now = performance.now();
      const sendAt = bind.pacer.getNextSendAt();
      if (sendAt > now) {
        const pauseMs = this.#resumesAt() - now;
        if (pauseMs > MAX_WAIT_MS) this.#rejectAll(createThrottledError(pauseMs));
        // If every window is full, the next response calls `dispatch`.
        else if (sendAt < Number.POSITIVE_INFINITY)
          this.#timer = setTimeout(() => this.dispatch(), Math.ceil(sendAt - now));
        return;
      }
      const [pending] = this.#queue as unknown as [PendingSubmit];
      if (isPastDeadline(pending.signal, now)) this.#reject(pending, createNotSubmittedError());
      else if (this.#canSend(pending)) {
        this.#remove(pending);
        pending.resolve(bind.submit(pending.fields()));
      } else if (this.#checkingSubmit) return;
    }
  }

  #canSend(pending: PendingSubmit): boolean {
    if (this.#clearedSubmit === pending) return true;
    if (this.#checkingSubmit === pending) return false;
    try {
      const checking = pending.departure?.check();
      if (!checking) return true;
      this.#checkingSubmit = pending;
      checking.then(
        () => this.#finishCheck(pending, null),
        (error: Error) => this.#finishCheck(pending, error),
      );
    } catch (error) {
      this.#reject(pending, error as Error);
    }
    return false;
  }

  #finishCheck(pending: PendingSubmit, error: Error | null): void {
    if (this.#checkingSubmit === pending) this.#checkingSubmit = null;
    if (error) this.#reject(pending, error);
    // The departure is checked again if no bind has room now, because its check is valid only for an immediate submit.
    else this.#clearedSubmit = pending;
    this.dispatch();
    this.#clearedSubmit = null;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#rejectAll(createNotSubmittedError());
  }

  #pickBind(): Bind | null {
    const now = performance.now();
    let best: Bind | null = null;
    let bestSendAt = Number.POSITIVE_INFINITY;
    for (const bind of this.#binds) {
      if (!bind.isReady) continue;
      const bindSendAt = Math.max(now, bind.pacer.getNextSendAt());
      if (
        !best ||
        bindSendAt < bestSendAt ||
        (bindSendAt === bestSendAt && bind.pacer.inFlight < best.pacer.inFlight)
      ) {
        best = bind;
        bestSendAt = bindSendAt;
      }
    }
    return best;
  }

  #resumesAt(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const { isReady, pacer } of this.#binds) if (isReady) earliest = Math.min(earliest, pacer.pausedUntil);
    return earliest;
  }

  #describeDown(): { reason: string; inMs: number } {
    const [firstBind] = this.#binds;
    if (!firstBind) return { reason: 'the bind type is receiver', inMs: CONNECTING_RETRY_MS };
    const earliest = this.#binds.reduce((a, b) => (b.retryInMs < a.retryInMs ? b : a), firstBind);
    return { reason: earliest.reason, inMs: earliest.retryInMs || CONNECTING_RETRY_MS };
  }

  #rejectAll(error: Error): void {
    for (const pending of [...this.#queue]) this.#reject(pending, error);
  }

  #reject(pending: PendingSubmit, error: Error): void {
    this.#remove(pending);
    pending.reject(error);
  }

  #listenForAbort(pending: PendingSubmit): void {
    const { signal } = pending;
    const listener = this.#abortListeners.get(signal);
    if (listener) listener.pending.add(pending);
    else {
      const removeListener = onAbort(signal, () => this.#rejectAborted(signal));
      this.#abortListeners.set(signal, { pending: new Set([pending]), removeListener });
    }
  }

  /**
   * A signal's listener must be removed together with the last submit that uses the signal, because the signal may live much
   * longer.
   */
  #remove(pending: PendingSubmit): void {
    this.#queue.delete(pending);
    const listener = this.#abortListeners.get(pending.signal);
    if (!listener?.pending.delete(pending) || listener.pending.size > 0) return;
    listener.removeListener();
    this.#abortListeners.delete(pending.signal);
  }

  #rejectAborted(signal: AbortSignal): void {
    for (const pending of [...(this.#abortListeners.get(signal)?.pending ?? [])])
      this.#reject(pending, createNotSubmittedError());
  }
}
