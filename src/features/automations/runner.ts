import type pg from 'pg';
import type { Logger } from 'pino';
import { AccountLocked } from '../../accounts/locked-accounts.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import type { PendingRequest } from '../../messages/accept/pending-request.js';
import type { SendResults } from '../../messages/send/results/send-results.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { isRetryable, isStoreUnable, isStoreUnreachable } from '../../platform/store/failures.js';
import { MissingVariable } from '../placeholders/placeholders.js';
import { type PerformOptions, prepareStep } from './perform.js';
import {
  advanceRun,
  claimRuns,
  endRun,
  type OwnedRun,
  type RunDelay,
  recordFailure,
  releaseRun,
  resumeRun,
} from './run-store.js';
import type { Step } from './steps.js';

/** Maximum number of active runs, not counting runs that wait for a message to be sent. */
const MAX_ACTIVE_RUNS = 32;
const POLL_INTERVAL_MS = 200;
/** Longest wait before a run's next message while its previous one is being sent, so that both arrive in order. */
const MAX_ORDER_DELAY_MS = 10_000;
/** Maximum number of watched runs, beyond which the oldest ones continue only after the full `MAX_ORDER_DELAY_MS`. */
const MAX_WATCHED = 1_000;
/** Number of failed attempts of a step, reached after about 15 minutes, at which the run ends. */
const MAX_FAILURES = 10;
const INTERNAL_ERROR = 'Heliograph could not perform this step because of an internal error.';

export interface AutomationRunnerOptions extends PerformOptions {
  acceptor: Pick<Acceptor, 'acceptWithin'>;
  log: Logger;
  faults: FaultPoints;
  results: Pick<SendResults, 'wait' | 'abandon'>;
  /** Default: 1,000. */
  maxWatched?: number;
}

/**
 * A step's effects and the run's progress commit together, so each step is performed exactly once even if the process
 * dies.
 */
export class AutomationRunner extends BackgroundWork<AutomationRunnerOptions> {
  readonly #activeRuns = new Set<Promise<void>>();
  readonly #watched = new Map<string, Promise<void>>();

  constructor(options: AutomationRunnerOptions) {
    super(options, { everyMs: POLL_INTERVAL_MS, failure: 'could not claim runs of automations' });
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#activeRuns);
    for (const messageId of this.#watched.keys()) this.options.results.abandon(messageId);
    await Promise.all(this.#watched.values());
  }

  protected override async poll(signal: AbortSignal): Promise<void> {
    const freeSlots = MAX_ACTIVE_RUNS - this.#activeRuns.size;
    if (freeSlots === 0) return;
    const runs = await claimRuns(this.options.pool, this.options.clock.now(), freeSlots);
    for (const run of runs) {
      const work = this.#performSteps(run, signal).finally(() => {
        if (this.#activeRuns.size === MAX_ACTIVE_RUNS) this.wake();
        this.#activeRuns.delete(work);
      });
      this.#activeRuns.add(work);
    }
  }

  /** Never rejects. */
  async #performSteps(claimed: OwnedRun, signal: AbortSignal): Promise<void> {
    const { faults, log, pool } = this.options;
    let run: OwnedRun | null = claimed;
    try {
      await faults.hit('automation:claimed');
      while (run && !signal.aborted) run = await this.#performStep(run);
      if (run) await releaseRun(pool, run);
    } catch (error) {
      const context = { err: error, run: claimed.id };
      if (isRetryable(error)) {
        // Runs of a locked account wait for a second, while other accounts' runs continue.
        const seconds = error instanceof AccountLocked ? 1 : 0;
        await releaseRun(pool, run as OwnedRun, seconds).catch(() =>
          log.warn(context, 'could not release a run of an automation; it continues when its lease expires'),
        );
      } else if (isTransient(error)) {
        log.warn(context, 'a run of an automation could not continue; it will be retried when its lease expires');
      } else await this.#handleFailure(run as OwnedRun, error);
    }
  }

  async #handleFailure(run: OwnedRun, cause: unknown): Promise<void> {
    const { log, pool, clock } = this.options;
    const context = { err: cause, run: run.id, step: run.step };
    try {
      const failures = await recordFailure(pool, run);
      if (failures === null) return;
      if (failures < MAX_FAILURES) {
        log.warn({ ...context, failures }, 'a step of an automation failed unexpectedly; it will be retried');
        return;
      }
      log.error({ ...context, failures }, 'ended a run of an automation: its step failed too often');
      const outcome = { step: run.step, errorMessage: INTERNAL_ERROR };
      await inTransaction(pool, (client) => endRun(client, run, outcome, clock.now()));
    } catch (error) {
      log.warn({ ...context, failure: error }, 'could not record the failure of a run of an automation');
    }
  }

  /** Resolves to the advanced run, or to null if the run waits, has ended, or belongs to another process. */
  async #performStep(run: OwnedRun): Promise<OwnedRun | null> {
    const { clock } = this.options;
    let committed: PendingRequest | null;
    try {
      committed = await this.#commit(run);
    } catch (error) {
      if (error instanceof RunOvertaken) return null;
      if (!isPermanentRefusal(error)) throw error;
      await inTransaction(this.options.pool, (client) =>
        endRun(client, run, { step: run.step, errorMessage: error.message }, clock.now()),
      );
      return null;
    }
    const [performed, next] = run.steps.slice(run.step);
    if (!next || performed?.type === 'wait') return null;
    const advanced = { ...run, step: run.step + 1 };
    if (!mustWaitForMessage(performed, next)) return advanced;
    if (committed) this.#watch(advanced, committed);
    return null;
  }

  async #commit(run: OwnedRun): Promise<PendingRequest | null> {
    const { pool, clock, faults, acceptor } = this.options;
    const [step, next] = run.steps.slice(run.step);
    const now = clock.now();
    const perform = step ? await prepareStep(this.options, run, step) : null;
    const delay = computeDelay(step, next, now);
    const plan = {
      claim: async (client: pg.PoolClient) => {
        const advanced =
          next || delay
            ? await advanceRun(client, run, now, delay)
            : await endRun(client, run, { step: run.steps.length, errorMessage: null }, now);
        if (!advanced) throw new RunOvertaken();
      },
      listPayers: () => (sendsMessage(step) ? [run.sender.account.id] : []),
      faultPoint: 'automation:committed',
      isBackground: true,
    };
    return acceptor.acceptWithin(pool, plan, async (transaction) => {
      const pending = perform ? await perform(transaction) : null;
      await faults.hit('automation:before-commit');
      return pending;
    });
  }

  /** A run whose message is being sent does not count as active, because a slow carrier may delay thousands of runs. */
  #watch(run: OwnedRun, { ids }: PendingRequest): void {
    const { results, pool, clock, log, maxWatched = MAX_WATCHED } = this.options;
    const [messageId] = ids as [string];
    const resumeOnceSent = async () => {
      const result = await results.wait(messageId, MAX_ORDER_DELAY_MS);
      try {
        if (result) await resumeRun(pool, run, clock.now());
      } catch (error) {
        log.warn({ err: error, run: run.id }, 'could not resume a run of an automation; it continues when it is due');
      }
      this.#watched.delete(messageId);
      if (result) this.wake();
    };
    this.#watched.set(messageId, resumeOnceSent());
    for (const oldest of this.#watched.keys()) {
      if (this.#watched.size <= maxWatched) break;
      this.#watched.delete(oldest);
      results.abandon(oldest);
    }
  }
}

function sendsMessage(step: Step | undefined): boolean {
  return step?.type.startsWith('send_') ?? false;
}

function mustWaitForMessage(performed: Step | undefined, next: Step | undefined): boolean {
  return sendsMessage(performed) && sendsMessage(next);
}

function computeDelay(step: Step | undefined, next: Step | undefined, now: Date): RunDelay | null {
  const until = (ms: number) => new Date(now.getTime() + ms);
  if (step?.type === 'wait') return { status: 'waiting', until: until(step.seconds * 1000) };
  return mustWaitForMessage(step, next) ? { status: 'running', until: until(MAX_ORDER_DELAY_MS) } : null;
}

/** Returns true for errors whose text may be shown to the account. */
function isPermanentRefusal(error: unknown): error is Error {
  return error instanceof MissingVariable || (error instanceof AppError && error.status < 500);
}

function isTransient(error: unknown): boolean {
  return (
    isStoreUnreachable(error) || isStoreUnable(error) || (error instanceof AppError && error.code === 'UNAVAILABLE')
  );
}

/** Thrown when another process has performed the step, or the run is gone. */
class RunOvertaken extends Error {}
