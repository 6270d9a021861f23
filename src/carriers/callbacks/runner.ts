import { BackgroundWork, type KeyedWorkOptions } from '../../platform/background/background-work.js';
import { backoffMs } from '../../platform/background/backoff.js';
import { type FaultPoints, noFaults } from '../../platform/faults.js';
import { isStoreAway, sqlState } from '../../platform/store/failures.js';
import {
  CLAIM_BYTES,
  type ClaimedCallback,
  claimCallbacks,
  deleteCallbacks,
  postponeCallback,
  setCallbackAside,
} from './callback-store.js';
import { deleteAndKeep } from './kept/keep-store.js';
import type { ReportSeal } from './kept/report-seal.js';
import type { UnusedReport } from './kept/unused-report.js';

/** Callbacks that are worked off together. */
const BATCH = 500;
/** How often it looks for callbacks of other processes, and for those whose lease ended. */
const LOOK_EVERY_MS = 250;
/** A callback that failed this often is set aside, after about a quarter of an hour. */
const MAX_ATTEMPTS = 10;
const RETRY_DELAYS = { firstMs: 2_000, longestMs: 300_000 };
/**
 * So often a callback is tried in all while a message that it is about may still come, for about two minutes: the message may be in
 * a callback that another process works off just now, or that was put off.
 */
const PATIENT_ATTEMPTS = 7;

export interface CallbackRunnerOptions extends KeyedWorkOptions {
  faults?: FaultPoints;
  /** How bodies are kept of which something was not used. */
  seal: ReportSeal;
  /** Does what the callbacks say, and returns what of them it does not use. Doing it twice must change nothing. */
  apply(callbacks: readonly ClaimedCallback[]): Promise<readonly UnusedReport[]>;
}

/**
 * Works off what the intake has stored. Any number of processes may run one: a callback is leased to one of them, and a
 * process that dies leaves its callbacks to the others once their leases end. One that cannot be worked off holds up no
 * other. One that is about a message which is not here is tried again for a while before anything of it is kept.
 */
export class CallbackRunner extends BackgroundWork<CallbackRunnerOptions> {
  constructor(options: CallbackRunnerOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'callbacks of carriers wait for the store' });
  }

  protected override async look(signal: AbortSignal): Promise<number> {
    const claimed = await claimCallbacks(this.options.pool, BATCH);
    if (claimed.length > 0) await this.#work(claimed, signal);
    // Of large ones fewer are claimed at once.
    const bytes = claimed.reduce((sum, { body }) => sum + body.length, 0);
    return claimed.length === BATCH || bytes >= CLAIM_BYTES ? 0 : LOOK_EVERY_MS;
  }

  /** All together, and when that fails, each by itself: so one that cannot be worked off is found. */
  async #work(claimed: readonly ClaimedCallback[], signal: AbortSignal): Promise<void> {
    try {
      await this.#settle(claimed, await this.options.apply(claimed));
    } catch (error) {
      // The store is away: nothing is wrong with the callbacks, whose leases end by themselves.
      if (isStoreAway(error)) throw error;
      for (const callback of claimed) {
        if (signal.aborted) return;
        await this.#workOff(callback);
      }
    }
  }

  async #workOff(callback: ClaimedCallback): Promise<void> {
    const { pool, log, apply } = this.options;
    const { id, carrier, attempts } = callback;
    let unused: readonly UnusedReport[];
    try {
      unused = await apply([callback]);
    } catch (error) {
      // The error's own words may hold a message's text.
      const reason = { callback: id, carrier, attempts, error: (error as Error).name, code: sqlState(error) };
      if (attempts < MAX_ATTEMPTS) {
        log.warn(reason, 'a callback of a carrier could not be worked off; it is tried again');
        await postponeCallback(pool, id, backoffMs(attempts, RETRY_DELAYS));
      } else {
        log.error(reason, 'a callback of a carrier was set aside: it could not be worked off');
        await setCallbackAside(pool, id);
      }
      return;
    }
    await this.#settle([callback], unused);
  }

  async #settle(worked: readonly ClaimedCallback[], unused: readonly UnusedReport[]): Promise<void> {
    const { pool, seal, faults = noFaults } = this.options;
    await faults.hit('callbacks:applied');
    const early = new Set(unused.filter(({ reason }) => reason === 'no-message').map(({ callbackId }) => callbackId));
    const postponed = worked.filter(({ id, attempts }) => early.has(id) && attempts < PATIENT_ATTEMPTS);
    const waiting = new Set(postponed.map(({ id }) => id));
    const ids = worked.map(({ id }) => id).filter((id) => !waiting.has(id));
    const kept = unused.filter(({ callbackId }) => !waiting.has(callbackId));
    if (kept.length > 0) await deleteAndKeep(pool, ids, kept, seal);
    else if (ids.length > 0) await deleteCallbacks(pool, ids);
    for (const { id, attempts } of postponed) await postponeCallback(pool, id, backoffMs(attempts, RETRY_DELAYS));
    await faults.hit('callbacks:settled');
  }
}
