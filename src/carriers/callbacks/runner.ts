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

const BATCH = 500;
/** Finds callbacks stored by other processes, and those whose lease expired. */
const LOOK_EVERY_MS = 250;
/** A callback is set aside after this many attempts, about 15 minutes. */
const MAX_ATTEMPTS = 10;
const RETRY_DELAYS = { firstMs: 2_000, longestMs: 300_000 };
/** About two minutes. The message may be in another callback that is still in progress or was postponed. */
const PATIENT_ATTEMPTS = 7;

export interface CallbackRunnerOptions extends BackgroundStoreOptions {
  faults?: FaultPoints;
  seal: ReportSeal;
  /** Returns unmatched parts. Must be idempotent. */
  apply(callbacks: readonly ClaimedCallback[]): Promise<readonly UnmatchedReport[]>;
}

/** Several processes may run this concurrently, because each callback is leased to one process. */
export class CallbackRunner extends BackgroundWork<CallbackRunnerOptions> {
  constructor(options: CallbackRunnerOptions) {
    super(options, {
      everyMs: LOOK_EVERY_MS,
      failure: 'carrier callbacks cannot be processed: the database is unavailable',
    });
  }

  protected override async poll(signal: AbortSignal): Promise<number> {
    const claimed = await claimCallbacks(this.options.pool, BATCH);
    if (claimed.length > 0) await this.#process(claimed, signal);
    const bytes = claimed.reduce((sum, { body }) => sum + body.length, 0);
    return claimed.length === BATCH || bytes >= CLAIM_BYTES ? 0 : LOOK_EVERY_MS;
  }

  /** If the batch fails, applies each callback alone, to isolate the one that fails. */
  async #process(claimed: readonly ClaimedCallback[], signal: AbortSignal): Promise<void> {
    try {
      await this.#finish(claimed, await this.options.apply(claimed));
    } catch (error) {
      // The callbacks are not at fault and are retried when their leases expire.
      if (isStoreUnreachable(error)) throw error;
      for (const callback of claimed) {
        if (signal.aborted) return;
        await this.#processAlone(callback);
      }
    }
  }

  async #processAlone(callback: ClaimedCallback): Promise<void> {
    const { pool, log, apply } = this.options;
    const { id, carrier, attempts } = callback;
    let unused: readonly UnmatchedReport[];
    try {
      unused = await apply([callback]);
    } catch (error) {
      // The error's message may quote a message text.
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
    await this.#finish([callback], unused);
  }

  async #finish(processed: readonly ClaimedCallback[], unused: readonly UnmatchedReport[]): Promise<void> {
    const { pool, seal, faults = noFaults } = this.options;
    await faults.hit('callbacks:applied');
    const lackMessage = new Set(
      unused.filter(({ reason }) => reason === 'no-message').map(({ callbackId }) => callbackId),
    );
    const postponed = processed.filter(({ id, attempts }) => lackMessage.has(id) && attempts < PATIENT_ATTEMPTS);
    const postponedIds = new Set(postponed.map(({ id }) => id));
    const doneIds = processed.map(({ id }) => id).filter((id) => !postponedIds.has(id));
    const toStore = unused.filter(({ callbackId }) => !postponedIds.has(callbackId));
    if (toStore.length > 0) await replaceWithUnmatched(pool, doneIds, toStore, seal);
    else if (doneIds.length > 0) await deleteCallbacks(pool, doneIds);
    for (const { id, attempts } of postponed) await postponeCallback(pool, id, backoffMs(attempts, RETRY_DELAYS));
    await faults.hit('callbacks:settled');
  }
}
