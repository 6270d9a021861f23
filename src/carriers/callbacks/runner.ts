import { type BackgroundStoreOptions, BackgroundWork } from '../../platform/background/background-work.js';
import { backoffMs } from '../../platform/background/backoff.js';
import { type FaultPoints, noFaults } from '../../platform/faults.js';
import { getSqlState, isStoreUnreachable } from '../../platform/store/failures.js';
import {
  CLAIM_BYTES,
  type ClaimedCallback,
  claimCallbacks,
  deleteCallbacks,
  postponeCallback,
  setCallbackAside,
} from './callback-store.js';
import type { ReportSeal } from './unmatched/report-seal.js';
import type { UnmatchedReport } from './unmatched/unmatched-report.js';
import { replaceWithUnmatched } from './unmatched/unmatched-store.js';

const BATCH_SIZE = 500;
/** Interval at which to look for callbacks that other processes stored or whose lease has expired. */
const POLL_INTERVAL_MS = 250;
/** A callback is set aside after this many attempts, which take about 15 minutes. */
const MAX_ATTEMPTS = 10;
const RETRY_DELAYS = { firstMs: 2_000, longestMs: 300_000 };
/**
 * A report about an unknown message is retried for about two minutes, because another pending callback may create the message.
 */
const NO_MESSAGE_ATTEMPTS = 7;

export interface CallbackRunnerOptions extends BackgroundStoreOptions {
  faults?: FaultPoints;
  seal: ReportSeal;
  /** Returns unmatched parts. Must be idempotent. */
  apply(callbacks: readonly ClaimedCallback[]): Promise<readonly UnmatchedReport[]>;
}

/** Several processes may run a `CallbackRunner` concurrently, because each callback is leased to one process. */
export class CallbackRunner extends BackgroundWork<CallbackRunnerOptions> {
  constructor(options: CallbackRunnerOptions) {
    super(options, {
      everyMs: POLL_INTERVAL_MS,
      failure: 'carrier callbacks cannot be processed: the database is unavailable',
    });
  }

  protected override async poll(signal: AbortSignal): Promise<number> {
    const callbacks = await claimCallbacks(this.options.pool, BATCH_SIZE);
    if (callbacks.length > 0) await this.#process(callbacks, signal);
    const bytes = callbacks.reduce((sum, { body }) => sum + body.length, 0);
    return callbacks.length === BATCH_SIZE || bytes >= CLAIM_BYTES ? 0 : POLL_INTERVAL_MS;
  }

  /** If a batch of callbacks fails, each callback is applied separately, to isolate the failing callback. */
  async #process(callbacks: readonly ClaimedCallback[], signal: AbortSignal): Promise<void> {
    try {
      await this.#finish(callbacks, await this.options.apply(callbacks));
    } catch (error) {
      // If the database is unreachable, no callback is at fault, so all callbacks are retried when their leases expire.
      if (isStoreUnreachable(error)) throw error;
      for (const callback of callbacks) {
        if (signal.aborted) return;
        await this.#processAlone(callback);
      }
    }
  }

  async #processAlone(callback: ClaimedCallback): Promise<void> {
    const { pool, log, apply } = this.options;
    const { id, carrier, attempts } = callback;
    let unmatched: readonly UnmatchedReport[];
    try {
      unmatched = await apply([callback]);
    } catch (error) {
      // Only the error's name is logged, because the error's message may quote the text of a message to a person.
      const reason = { callback: id, carrier, attempts, error: (error as Error).name, code: getSqlState(error) };
      if (attempts < MAX_ATTEMPTS) {
        log.warn(reason, 'a carrier callback could not be processed and will be retried');
        await postponeCallback(pool, id, backoffMs(attempts, RETRY_DELAYS));
      } else {
        log.error(reason, 'a carrier callback could not be processed and was set aside');
        await setCallbackAside(pool, id);
      }
      return;
    }
    await this.#finish([callback], unmatched);
  }

  async #finish(callbacks: readonly ClaimedCallback[], unmatched: readonly UnmatchedReport[]): Promise<void> {
    const { pool, seal, faults = noFaults } = this.options;
    await faults.hit('callbacks:applied');
    const idsWithoutMessage = new Set(
      unmatched.filter(({ reason }) => reason === 'no-message').map(({ callbackId }) => callbackId),
    );
    const postponedCallbacks = callbacks.filter(
      ({ id, attempts }) => idsWithoutMessage.has(id) && attempts < NO_MESSAGE_ATTEMPTS,
    );
    const postponedIds = new Set(postponedCallbacks.map(({ id }) => id));
    const doneIds = callbacks.map(({ id }) => id).filter((id) => !postponedIds.has(id));
    const reportsToStore = unmatched.filter(({ callbackId }) => !postponedIds.has(callbackId));
    if (reportsToStore.length > 0) await replaceWithUnmatched(pool, doneIds, reportsToStore, seal);
    else if (doneIds.length > 0) await deleteCallbacks(pool, doneIds);
    for (const { id, attempts } of postponedCallbacks)
      await postponeCallback(pool, id, backoffMs(attempts, RETRY_DELAYS));
    await faults.hit('callbacks:settled');
  }
}
