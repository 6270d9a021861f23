import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import { GroupCommit } from '../../platform/group-commit.js';
import { isTransient, outcomeUnknown } from '../../platform/store/failures.js';
import { inTransaction } from '../../platform/store/pool.js';
import { untilKnown } from '../../platform/store/repeat.js';
import { commitLarge } from './accept-large-store.js';
import { commitPlain, isPlain } from './accept-plain-store.js';
import { type CommitOutcome, commitGeneral, findCommitted, type PendingRequest } from './accept-store.js';
import { weightOf } from './volume.js';

/** A batch closes before it outgrows this many messages, or the weight of their texts; a heavier request is a large one. */
const BATCH_MESSAGES = 500;
/** How long a commit whose answer was lost is asked after before the caller is told that it is unknown. */
const UNKNOWN_DEADLINE_MS = 8_000;
const UNKNOWN_PAUSE_MS = 100;
const UNKNOWN_MESSAGE =
  'The store did not answer, so it is unknown whether the request was accepted. Repeat it with an Idempotency-Key to be safe.';

export interface CommitterOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  faults: FaultPoints;
  /** Messages that may wait for a commit. */
  waitingLimit: number;
  /** Told of every committed request, after its commit; must not throw. */
  onCommitted(committed: readonly PendingRequest[]): void;
}

/**
 * Commits prepared sends together with those that arrive at the same time: debit, idempotency key, messages and ledger.
 * It learns the outcome of each before it answers, also where the store's answer is lost.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #commits: GroupCommit<PendingRequest, CommitOutcome>;
  /** Large requests commit one by one beside the others, which would otherwise wait for seconds behind them. */
  readonly #large: GroupCommit<PendingRequest, CommitOutcome>;

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#commits = new GroupCommit<PendingRequest, CommitOutcome>({
      commit: (batch) => this.#commit(batch),
      weigh: (pending) => weightOf(pending.ids.length, pending.storedBytes),
      batchWeight: BATCH_MESSAGES,
      waitingLimit: options.waitingLimit,
    });
    this.#large = new GroupCommit<PendingRequest, CommitOutcome>({
      commit: (batch) => this.#commit(batch),
      weigh: (pending) => pending.ids.length,
      batchWeight: 1,
      waitingLimit: options.waitingLimit,
    });
  }

  /**
   * Resolves once the request is committed or refused.
   * @throws {AppError} UNAVAILABLE when the server is overloaded or cannot learn whether the commit happened
   */
  commit(pending: PendingRequest): Promise<CommitOutcome> {
    return (isLarge(pending) ? this.#large : this.#commits).add(pending);
  }

  /** Commits requests in the caller's transaction. `onCommitted` is not told of them. */
  async commitWithin(
    connection: pg.Pool | pg.PoolClient,
    batch: readonly PendingRequest[],
  ): Promise<readonly CommitOutcome[]> {
    const now = this.#options.clock.now();
    if (!isPlain(batch)) return commitGeneral(connection, batch, now);
    const outcome = (await commitPlain(connection, batch, now)) ? 'accepted' : 'unfunded';
    return batch.map(() => outcome);
  }

  /** Resolves once every commit that was begun has its answer. */
  async idle(): Promise<void> {
    await Promise.all([this.#commits.idle(), this.#large.idle()]);
  }

  async #commit(batch: readonly PendingRequest[]): Promise<(CommitOutcome | Error)[]> {
    const results = await this.#commitShared(batch);
    for (const [index, pending] of batch.entries()) {
      // The account could not pay for all of its requests at once: each is tried alone, in order.
      if (results[index] === 'unfunded' && batch.length > 1) results[index] = await this.#commitAlone(pending);
    }
    await this.#options.faults.hit('accept:committed');
    const accepted = batch.filter((_, index) => results[index] === 'accepted');
    if (accepted.length > 0) this.#options.onCommitted(accepted);
    return results;
  }

  async #commitShared(batch: readonly PendingRequest[]): Promise<(CommitOutcome | Error)[]> {
    try {
      return [...(await this.#commitKnown(batch))];
    } catch (error) {
      if (batch.length === 1 || error instanceof AppError) return batch.map(() => error as Error);
      this.#options.log.warn(
        { err: error, requests: batch.length },
        'a shared commit failed; trying each request alone',
      );
      const outcomes: (CommitOutcome | Error)[] = [];
      for (const pending of batch) outcomes.push(await this.#commitAlone(pending));
      return outcomes;
    }
  }

  async #commitAlone(pending: PendingRequest): Promise<CommitOutcome | Error> {
    try {
      const [outcome] = await this.#commitKnown([pending]);
      return outcome as CommitOutcome;
    } catch (error) {
      return error as Error;
    }
  }

  /** Commits a batch; where the answer is lost, finds out what happened before anything is tried again. */
  async #commitKnown(batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]> {
    const { faults, log } = this.#options;
    const deadline = performance.now() + UNKNOWN_DEADLINE_MS;
    let answerLost = false;
    const attempt = async () => {
      const outcomes = answerLost ? await this.#commitMissing(batch) : await this.#commitAnew(batch);
      await faults.hit('accept:answer');
      return outcomes;
    };
    try {
      return await untilKnown(attempt, {
        pauseMs: UNKNOWN_PAUSE_MS,
        isStopping: () => performance.now() > deadline,
        onFailure: (error) => {
          answerLost ||= outcomeUnknown(error);
        },
      });
    } catch (error) {
      if (!isTransient(error)) throw error;
      log.error({ err: error }, 'a commit could not be confirmed');
      throw new AppError('UNAVAILABLE', UNKNOWN_MESSAGE, [], { cause: error });
    }
  }

  async #commitAnew(batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]> {
    const { pool, clock } = this.#options;
    const [first] = batch;
    // It is alone in its batch.
    if (first && isLarge(first)) return [await commitLarge(pool, first, clock.now())];
    return this.commitWithin(pool, batch);
  }

  async #commitMissing(batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]> {
    const [first] = batch;
    if (first && isLarge(first)) {
      // A lost transaction that can still commit holds the account's lock, for which this look waits; so what is not
      // there by then never will be.
      const committed = await inTransaction(this.#options.pool, (client) => findCommitted(client, batch));
      return committed.has(first) ? ['accepted'] : this.#commitAnew(batch);
    }
    return inTransaction(this.#options.pool, async (client) => {
      const committed = await findCommitted(client, batch);
      const missing = batch.filter((pending) => !committed.has(pending));
      const outcomes = missing.length > 0 ? await this.commitWithin(client, missing) : [];
      return batch.map((pending) =>
        committed.has(pending) ? 'accepted' : (outcomes[missing.indexOf(pending)] as CommitOutcome),
      );
    });
  }
}

function isLarge({ ids, storedBytes }: PendingRequest): boolean {
  return weightOf(ids.length, storedBytes) > BATCH_MESSAGES;
}
