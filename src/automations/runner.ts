import { setTimeout as pause } from 'node:timers/promises';
import { worthRepeating } from '../database/failures.js';
import { inTransaction } from '../database/pool.js';
import type { Deps } from '../deps.js';
import { AppError } from '../errors.js';
import type { PendingRequest } from '../messages/accept-store.js';
import { type PerformDeps, prepareStep } from './perform.js';
import { MissingVariable } from './placeholders.js';
import { claimRuns, endRun, moveOn, type OwnedRun, releaseRun } from './run-store.js';

/** Runs that a process works on at once; most of them wait for a carrier's answer. */
const RUNS_AT_ONCE = 32;
/** How often the runner looks for runs that are due. */
const LOOK_EVERY_MS = 200;
/** How long a message may delay the next one of its run, which should reach the contact after it. */
const ORDER_PATIENCE_MS = 10_000;

export type AutomationRunnerDeps = PerformDeps & Pick<Deps, 'log' | 'faults' | 'results'>;

/**
 * Walks runs through their steps. What a step does and the run's progress are committed together, so whatever dies, a
 * step is done once. Any number of processes may run one.
 */
export class AutomationRunner {
  readonly #deps: AutomationRunnerDeps;
  readonly #stop = new AbortController();
  readonly #inHand = new Set<Promise<void>>();
  #running: Promise<void> = Promise.resolve();

  constructor(deps: AutomationRunnerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#running = this.#loop();
  }

  /** Resolves once every step under way is done; the runs go on after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await Promise.all(this.#inHand);
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#takeUp();
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'runs of automations could not be looked up');
      }
      const look = pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
      // With all hands full, the next look is worth it as soon as one is free.
      await (this.#inHand.size < RUNS_AT_ONCE ? look : Promise.race([look, ...this.#inHand]));
    }
  }

  async #takeUp(): Promise<void> {
    const free = RUNS_AT_ONCE - this.#inHand.size;
    if (free === 0) return;
    const runs = await claimRuns(this.#deps.pool, this.#deps.clock.now(), free);
    for (const run of runs) {
      const work = this.#walk(run).finally(() => this.#inHand.delete(work));
      this.#inHand.add(work);
    }
  }

  /** Does a run's steps until it waits, ends, or this process stops. Never rejects. */
  async #walk(claimed: OwnedRun): Promise<void> {
    const { faults, log, pool } = this.#deps;
    let run: OwnedRun | null = claimed;
    try {
      await faults.hit('automation:claimed');
      while (run && !this.#stop.signal.aborted) run = await this.#step(run);
      if (run) await releaseRun(pool, run);
    } catch (error) {
      const context = { err: error, run: claimed.id };
      if (!worthRepeating(error)) {
        log.warn(context, 'a run of an automation could not go on; it is tried again when its lease has run out');
        return;
      }
      await releaseRun(pool, run as OwnedRun).catch(() => log.warn(context, 'a run could not be given back'));
    }
  }

  /** Does one step. Resolves to the run as it then is; to null when it waits, has ended, or belongs to somebody else. */
  async #step(run: OwnedRun): Promise<OwnedRun | null> {
    const { clock, faults, acceptor } = this.#deps;
    let committed: PendingRequest | null;
    try {
      committed = await this.#commit(run);
    } catch (error) {
      if (error instanceof Overtaken) return null;
      if (!isRefusal(error)) throw error;
      await inTransaction(this.#deps.pool, (client) =>
        endRun(client, run, { step: run.step, errorMessage: error.message }, clock.now()),
      );
      return null;
    }
    await faults.hit('automation:committed');
    if (committed) acceptor.announce([committed]);
    const done = run.steps[run.step];
    const next = run.steps[run.step + 1];
    if (!next || done?.type === 'wait') return null;
    if (committed && next.type.startsWith('send_')) await this.#untilSent(committed);
    return { ...run, step: run.step + 1 };
  }

  async #commit(run: OwnedRun): Promise<PendingRequest | null> {
    const { pool, clock, faults } = this.#deps;
    const step = run.steps[run.step];
    const now = clock.now();
    const deed = step ? await prepareStep(this.#deps, run, step) : null;
    const waitUntil = step?.type === 'wait' ? new Date(now.getTime() + step.seconds * 1000) : null;
    const last = run.step + 1 >= run.steps.length;
    return inTransaction(pool, async (client) => {
      const moved =
        last && !waitUntil
          ? await endRun(client, run, { step: run.steps.length, errorMessage: null }, now)
          : await moveOn(client, run, now, waitUntil);
      if (!moved) throw new Overtaken();
      const pending = deed ? await deed(client) : null;
      await faults.hit('automation:before-commit');
      return pending;
    });
  }

  /** Lets a message leave before the next one follows it. */
  async #untilSent({ ids }: PendingRequest): Promise<void> {
    const { signal } = this.#stop;
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
      signal.addEventListener('abort', stop);
    });
    await Promise.race([stopped, this.#deps.results.wait(ids[0] as string, ORDER_PATIENCE_MS)]);
    signal.removeEventListener('abort', stop);
  }
}

/** A reason for which a step can never be done, and which may be told. */
function isRefusal(error: unknown): error is Error {
  return error instanceof MissingVariable || (error instanceof AppError && error.status < 500);
}

/** Another process has done the step, or the run is gone. */
class Overtaken extends Error {}
