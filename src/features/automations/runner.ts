import type pg from 'pg';
import type { Logger } from 'pino';
import { AccountLocked } from '../../accounts/held-accounts.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import type { PendingRequest } from '../../messages/accept/pending-request.js';
import type { SendResults } from '../../messages/send/results/send-results.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { isStoreAway, isUnable, worthRepeating } from '../../platform/store/failures.js';
import { MissingVariable } from '../placeholders/placeholders.js';
import { type PerformOptions, prepareStep } from './perform.js';
import {
  claimRuns,
  endRun,
  moveOn,
  type OwnedRun,
  type Rest,
  recordFailure,
  releaseRun,
  resumeRun,
} from './run-store.js';
import type { Step } from './steps.js';

/** Runs that a process works on at once. One whose message is on its way is not among them. */
const RUNS_AT_ONCE = 32;
/** How often the runner looks for runs that are due. */
const LOOK_EVERY_MS = 200;
/** How long a message may delay the next one of its run, which should reach the contact after it. */
const ORDER_PATIENCE_MS = 10_000;
/** Messages whose end a process waits for at once. Of more, those that take longest use their patience up. */
const MAX_WATCHED = 1_000;
/** Unexpected failures of a step, over about a quarter of an hour, after which its run ends. */
const MAX_FAILURES = 10;
const OWN_FAILURE = 'Heliograph could not perform this step because of an internal error.';

export interface AutomationRunnerOptions extends PerformOptions {
  acceptor: Pick<Acceptor, 'within'>;
  log: Logger;
  faults: FaultPoints;
  results: Pick<SendResults, 'wait' | 'letGo'>;
  /** Messages whose end is waited for at once; 1,000 unless told. */
  maxWatched?: number;
}

/**
 * Walks runs through their steps. What a step does and the run's progress are committed together, so whatever dies, a
 * step is done once. Any number of processes may run one.
 */
export class AutomationRunner extends BackgroundWork<AutomationRunnerOptions> {
  readonly #inHand = new Set<Promise<void>>();
  /** By the id of the message after which a run goes on, the oldest first. */
  readonly #watched = new Map<string, Promise<void>>();

  constructor(options: AutomationRunnerOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'runs of automations could not be looked up' });
  }

  /** Resolves once every step under way is done; the runs go on after the next start. */
  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all(this.#inHand);
    for (const messageId of this.#watched.keys()) this.options.results.letGo(messageId);
    await Promise.all(this.#watched.values());
  }

  protected override async look(signal: AbortSignal): Promise<void> {
    const free = RUNS_AT_ONCE - this.#inHand.size;
    if (free === 0) return;
    const runs = await claimRuns(this.options.pool, this.options.clock.now(), free);
    for (const run of runs) {
      const work = this.#walk(run, signal).finally(() => {
        // With all hands full, the next look is worth it as soon as one is free.
        if (this.#inHand.size === RUNS_AT_ONCE) this.wake();
        this.#inHand.delete(work);
      });
      this.#inHand.add(work);
    }
  }

  /** Does a run's steps until it waits, ends, or this process stops. Never rejects. */
  async #walk(claimed: OwnedRun, signal: AbortSignal): Promise<void> {
    const { faults, log, pool } = this.options;
    let run: OwnedRun | null = claimed;
    try {
      await faults.hit('automation:claimed');
      while (run && !signal.aborted) run = await this.#step(run);
      if (run) await releaseRun(pool, run);
    } catch (error) {
      const context = { err: error, run: claimed.id };
      if (worthRepeating(error)) {
        // Until then the runs of other accounts have their turn.
        const seconds = error instanceof AccountLocked ? 1 : 0;
        await releaseRun(pool, run as OwnedRun, seconds).catch(() =>
          log.warn(context, 'a run could not be given back'),
        );
      } else if (passesByItself(error)) {
        log.warn(context, 'a run of an automation could not go on; it is tried again when its lease has run out');
      } else await this.#fail(run as OwnedRun, error);
    }
  }

  /** A step failed unexpectedly. It is tried again for a while; then the run ends, for nothing else would end it. */
  async #fail(run: OwnedRun, cause: unknown): Promise<void> {
    const { log, pool, clock } = this.options;
    const context = { err: cause, run: run.id, step: run.step };
    try {
      const failures = await recordFailure(pool, run);
      if (failures === null) return;
      if (failures < MAX_FAILURES) {
        log.warn({ ...context, failures }, 'a step of an automation failed unexpectedly; it is tried again');
        return;
      }
      log.error({ ...context, failures }, 'a run of an automation was ended: its step failed too often');
      const outcome = { step: run.step, errorMessage: OWN_FAILURE };
      await inTransaction(pool, (client) => endRun(client, run, outcome, clock.now()));
    } catch (error) {
      log.warn({ ...context, failure: error }, 'the failure of a run of an automation could not be recorded');
    }
  }

  /** Does one step. Resolves to the run as it then is; to null when it waits, has ended, or belongs to another process. */
  async #step(run: OwnedRun): Promise<OwnedRun | null> {
    const { clock } = this.options;
    let committed: PendingRequest | null;
    try {
      committed = await this.#commit(run);
    } catch (error) {
      if (error instanceof Overtaken) return null;
      if (!isRefusal(error)) throw error;
      await inTransaction(this.options.pool, (client) =>
        endRun(client, run, { step: run.step, errorMessage: error.message }, clock.now()),
      );
      return null;
    }
    const [done, next] = run.steps.slice(run.step);
    if (!next || done?.type === 'wait') return null;
    const moved = { ...run, step: run.step + 1 };
    if (!followsMessage(done, next)) return moved;
    if (committed) this.#watch(moved, committed);
    return null;
  }

  async #commit(run: OwnedRun): Promise<PendingRequest | null> {
    const { pool, clock, faults, acceptor } = this.options;
    const [step, next] = run.steps.slice(run.step);
    const now = clock.now();
    const perform = step ? await prepareStep(this.options, run, step) : null;
    const rest = restAfter(step, next, now);
    const plan = {
      take: async (client: pg.PoolClient) => {
        const moved =
          next || rest
            ? await moveOn(client, run, now, rest)
            : await endRun(client, run, { step: run.steps.length, errorMessage: null }, now);
        if (!moved) throw new Overtaken();
      },
      payers: () => (sends(step) ? [run.sender.account.id] : []),
      faultPoint: 'automation:committed',
      isBackground: true,
    };
    return acceptor.within(pool, plan, async (transaction) => {
      const pending = perform ? await perform(transaction) : null;
      await faults.hit('automation:before-commit');
      return pending;
    });
  }

  /**
   * Has a run go on as soon as its message was sent. Until then it lies in the store and takes up no place here, for a
   * number or a carrier in trouble may be that of thousands of runs. One whose message is not watched goes on when it is
   * due.
   */
  #watch(run: OwnedRun, { ids }: PendingRequest): void {
    const { results, pool, clock, log, maxWatched = MAX_WATCHED } = this.options;
    const [messageId] = ids as [string];
    const watch = async () => {
      const result = await results.wait(messageId, ORDER_PATIENCE_MS);
      try {
        if (result) await resumeRun(pool, run, clock.now());
      } catch (error) {
        log.warn({ err: error, run: run.id }, 'a run of an automation could not be resumed; it goes on when it is due');
      }
      this.#watched.delete(messageId);
      if (result) this.wake();
    };
    this.#watched.set(messageId, watch());
    for (const oldest of this.#watched.keys()) {
      if (this.#watched.size <= maxWatched) break;
      this.#watched.delete(oldest);
      results.letGo(oldest);
    }
  }
}

/** Whether a step sends a message, which costs something. */
function sends(step: Step | undefined): boolean {
  return step?.type.startsWith('send_') ?? false;
}

/** Whether a step must not be done before the message of the one before it has left. */
function followsMessage(done: Step | undefined, next: Step | undefined): boolean {
  return sends(done) && sends(next);
}

function restAfter(step: Step | undefined, next: Step | undefined, now: Date): Rest | null {
  const until = (ms: number) => new Date(now.getTime() + ms);
  if (step?.type === 'wait') return { status: 'waiting', until: until(step.seconds * 1000) };
  return followsMessage(step, next) ? { status: 'running', until: until(ORDER_PATIENCE_MS) } : null;
}

/** A reason for which a step can never be done, and which may be told. */
function isRefusal(error: unknown): error is Error {
  return error instanceof MissingVariable || (error instanceof AppError && error.status < 500);
}

/** Whether nothing is wrong with the run: the store is away, or the server is too busy. */
function passesByItself(error: unknown): boolean {
  return isStoreAway(error) || isUnable(error) || (error instanceof AppError && error.code === 'UNAVAILABLE');
}

/** Another process has done the step, or the run is gone. */
class Overtaken extends Error {}
