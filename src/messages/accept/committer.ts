import type pg from 'pg';
import type { Logger } from 'pino';
import { AccountLocations } from '../../accounts/account-locations.js';
import { isLockTimeout, type LockedAccounts, SHARED_LOCK_MS } from '../../accounts/locked-accounts.js';
import { MAX_MICROS } from '../../accounts/money.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import { GroupCommit } from '../../platform/group-commit.js';
import { FailureLog } from '../../platform/log/failure-log.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { isOutcomeUnknown, isStoreUnable, isTimeout, isTransient } from '../../platform/store/failures.js';
import { retryUntilKnown } from '../../platform/store/repeat.js';
import { withTimeout } from '../../platform/timeout.js';
import { commitLarge } from './accept-large-store.js';
import { commitPlain, isPlain } from './accept-plain-store.js';
import { commitGeneral, findCommitted, listAccountIds } from './accept-store.js';
import type { CommitAnnouncer } from './commit-announcer.js';
import { commitGuarded, type GuardOptions, isGuarded } from './guard/commit-guarded.js';
import { SendingHeld } from './guard/holds.js';
import { LimitReached } from './guard/limits.js';
import { WeeklyCounts } from './guard/watch.js';
import { ACCOUNT_LOCKED, LockedAccountQueues } from './locked-account-queues.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';
import { computeCommitWeight } from './volume.js';

/** Maximum weight of a batch, where a short message weighs 1. Heavier requests commit alone. */
const BATCH_MESSAGES = 500;
/** Extra timeout per unit of weight above an ordinary batch's weight, because a large request takes many statements. */
const TIMEOUT_PER_WEIGHT_MS = 0.2;
/** Extra time before the commit is aborted, so that PostgreSQL's own statement timeout fails first with a better error. */
const MARGIN_MS = 250;
const RETRY_PAUSE_MS = 100;
const OUTCOME_UNKNOWN_MESSAGE =
  'The store did not answer, so it is unknown whether the request was accepted. Repeat it with an Idempotency-Key to be safe.';
const STORE_REFUSED_MESSAGE =
  'The store cannot accept the request at the moment; nothing was accepted. Try again in a moment.';

export interface CommitterOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  faults: FaultPoints;
  /**
   * Longest time for a commit and the check after a lost response. A request whose commit takes longer fails with UNAVAILABLE.
   */
  timeoutMs: number;
  lockedAccounts: LockedAccounts;
  waitingLimit: number;
  announcer: CommitAnnouncer;
}

interface LockOptions {
  lockMs: number;
  isKnownLocked?: boolean;
}

/** Commits requests, and finds out whether a commit happened if PostgreSQL's response to it was lost. */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #commits: GroupCommit<PendingRequest, CommitOutcome>;
  /** Large requests commit one by one, because other requests in the same batch would wait for seconds. */
  readonly #largeCommits: GroupCommit<PendingRequest, CommitOutcome>;
  readonly #guardedCommits: GroupCommit<PendingRequest, CommitOutcome>;
  /** Requests of locked accounts have their own queues, so that requests of other accounts do not wait. */
  readonly #lockedQueues: LockedAccountQueues;
  /** Requests of locked accounts that may already have been committed, because the response to their commit was lost. */
  readonly #unconfirmed = new WeakSet<PendingRequest>();
  readonly #failures: FailureLog;
  readonly #weeklyCounts = new WeeklyCounts();
  readonly #rowLocations = new AccountLocations();

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#failures = new FailureLog({ log: options.log, level: 'warn' });
    const sharedOptions = {
      weigh: (pending: PendingRequest) => computeCommitWeight(pending.ids.length, pending.storedBytes),
      batchWeight: BATCH_MESSAGES,
      waitingLimit: options.waitingLimit,
      endsWaiting: isUnavailable,
    };
    const batchOptions = {
      ...sharedOptions,
      commit: (batch: readonly PendingRequest[]) => this.#commitUnlocked(batch),
    };
    this.#commits = new GroupCommit(batchOptions);
    this.#guardedCommits = new GroupCommit(batchOptions);
    this.#lockedQueues = new LockedAccountQueues({
      ...sharedOptions,
      lockedAccounts: options.lockedAccounts,
      timeoutMs: options.timeoutMs,
      commit: (batch, lockMs) => this.#commit(batch, { lockMs, isKnownLocked: true }),
    });
    this.#largeCommits = new GroupCommit({
      ...batchOptions,
      weigh: (pending) => pending.ids.length,
      batchWeight: 1,
    });
  }

  get groups() {
    return { accept: this.#commits, accept_large: this.#largeCommits, accept_limited: this.#guardedCommits };
  }

  /** @throws {AppError} UNAVAILABLE when the server is overloaded or cannot learn whether the commit happened */
  commit(pending: PendingRequest): Promise<CommitOutcome> {
    if (this.#options.lockedAccounts.isLocked(pending.request.account.id)) return this.#commitLocked(pending);
    return this.#queueFor(pending).add(pending);
  }

  async #commitLocked(pending: PendingRequest): Promise<CommitOutcome> {
    try {
      return await this.#lockedQueues.commit(pending);
    } catch (error) {
      if (!this.#unconfirmed.has(pending) || !isUnavailable(error)) throw error;
      throw new AppError('UNAVAILABLE', OUTCOME_UNKNOWN_MESSAGE, [], { cause: error });
    }
  }

  #queueFor(pending: PendingRequest): GroupCommit<PendingRequest, CommitOutcome> {
    if (isLarge(pending)) return this.#largeCommits;
    return isGuarded([pending]) ? this.#guardedCommits : this.#commits;
  }

  /** Commits in the caller's transaction, without announcing the accepted requests. */
  async commitWithin(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]> {
    return this.#commitIn(client, batch, null);
  }

  async #commitIn(
    client: pg.PoolClient,
    batch: readonly PendingRequest[],
    lockMs: number | null,
  ): Promise<readonly CommitOutcome[]> {
    if (!isGuarded(batch)) return this.#commitOn(client, batch, lockMs);
    return commitGuarded(client, batch, this.#guardOptions(lockMs), (passed) => this.#commitOn(client, passed, null));
  }

  #guardOptions(lockMs: number | null): GuardOptions {
    return { now: this.#options.clock.now(), weeklyCounts: this.#weeklyCounts, lockMs };
  }

  async #commitOn(
    connection: pg.Pool | pg.PoolClient,
    batch: readonly PendingRequest[],
    lockMs: number | null,
  ): Promise<readonly CommitOutcome[]> {
    if (costsTooMuch(batch)) return batch.map(() => 'unfunded');
    const context = { now: this.#options.clock.now(), locations: this.#rowLocations, lockMs };
    if (!isPlain(batch)) return commitGeneral(connection, batch, context);
    const outcome = (await commitPlain(connection, batch, context)) ? 'accepted' : 'unfunded';
    return batch.map(() => outcome);
  }

  async idle(): Promise<void> {
    await Promise.all([
      this.#commits.waitUntilIdle(),
      this.#largeCommits.waitUntilIdle(),
      this.#guardedCommits.waitUntilIdle(),
      this.#lockedQueues.idle(),
    ]);
  }

  /** For a request that must wait for a locked account, the result contains a pending promise instead of an outcome. */
  async #commitUnlocked(batch: readonly PendingRequest[]): Promise<(CommitOutcome | Promise<CommitOutcome> | Error)[]> {
    const { lockedAccounts } = this.#options;
    const unlocked =
      lockedAccounts.size === 0 ? batch : batch.filter(({ request }) => !lockedAccounts.isLocked(request.account.id));
    const results = unlocked.length > 0 ? await this.#commit(unlocked, { lockMs: SHARED_LOCK_MS }) : [];
    let next = 0;
    return batch.map((pending) => {
      const result = unlocked[next] === pending ? (results[next++] as CommitResult) : ACCOUNT_LOCKED;
      return result === ACCOUNT_LOCKED ? this.#commitLocked(pending) : result;
    });
  }

  async #commit(batch: readonly PendingRequest[], locking: LockOptions): Promise<CommitResult[]> {
    const results = await this.#commitShared(batch, locking);
    // Some requests of the batch are retried alone: an account may be able to pay for some of its requests, and a sending limit
    // is free again if the requests that used it up were not accepted.
    const hasUncommitted = results.some((each) => each === 'unfunded' || each === 'conflict');
    const shouldRetry = (each: CommitResult | undefined) =>
      each === 'unfunded' || (hasUncommitted && (each instanceof LimitReached || each instanceof SendingHeld));
    const retries = batch.length > 1 ? batch.filter((_, index) => shouldRetry(results[index])) : [];
    const outcomes = await this.#commitEach(retries, locking);
    for (const [index, pending] of retries.entries()) results[batch.indexOf(pending)] = outcomes[index] as CommitResult;
    await this.#options.faults.hit('accept:committed');
    const accepted = batch.filter((_, index) => results[index] === 'accepted');
    if (accepted.length > 0) this.#options.announcer.announce(accepted);
    return results;
  }

  async #commitShared(batch: readonly PendingRequest[], locking: LockOptions): Promise<CommitResult[]> {
    try {
      return [...(await this.#commitOnce(batch, locking))];
    } catch (error) {
      if (isLockTimeout(error)) return this.#commitWithoutLocked(batch, locking);
      if (batch.length === 1 || error instanceof AppError) return batch.map(() => error as Error);
      const message = 'a batch commit failed; committing each request alone';
      this.#failures.report(error, message, { requests: batch.length });
      return this.#commitEach(batch, locking);
    }
  }

  /** Called after a lock timeout: commits the requests of the accounts that are not locked. */
  async #commitWithoutLocked(batch: readonly PendingRequest[], locking: LockOptions): Promise<CommitResult[]> {
    const { lockedAccounts } = this.#options;
    const accounts = listAccountIds(batch);
    if (accounts.length === 1) {
      lockedAccounts.markLocked(accounts[0] as string);
      return batch.map(() => ACCOUNT_LOCKED);
    }
    let locked: ReadonlySet<string>;
    try {
      locked = await lockedAccounts.findLocked(accounts);
    } catch (error) {
      return batch.map(() => createUnavailable(error));
    }
    // If no locked account is found, the requests of each account commit separately, so that a short lock delays only one
    // account.
    const groups = locked.size > 0 ? [accounts.filter((id) => !locked.has(id))] : accounts.map((id) => [id]);
    const results = batch.map((): CommitResult => ACCOUNT_LOCKED);
    for (const group of groups) {
      const part = batch.filter(({ request }) => group.includes(request.account.id));
      const outcomes = part.length > 0 ? await this.#commitShared(part, locking) : [];
      for (const [index, pending] of part.entries()) results[batch.indexOf(pending)] = outcomes[index] as CommitResult;
    }
    return results;
  }

  async #commitEach(batch: readonly PendingRequest[], locking: LockOptions): Promise<CommitResult[]> {
    const outcomes: CommitResult[] = [];
    let outage: Error | null = null;
    for (const pending of batch) {
      if (outage) {
        outcomes.push(outage);
        continue;
      }
      if (!locking.isKnownLocked && this.#options.lockedAccounts.isLocked(pending.request.account.id)) {
        outcomes.push(ACCOUNT_LOCKED);
        continue;
      }
      try {
        outcomes.push(...(await this.#commitOnce([pending], locking)));
      } catch (error) {
        if (isLockTimeout(error)) this.#options.lockedAccounts.markLocked(pending.request.account.id);
        outcomes.push(isLockTimeout(error) ? ACCOUNT_LOCKED : (error as Error));
        if (isUnavailable(error)) outage = error;
      }
    }
    return outcomes;
  }

  async #commitOnce(batch: readonly PendingRequest[], locking: LockOptions): Promise<readonly CommitOutcome[]> {
    const { faults, timeoutMs } = this.#options;
    const deadline = performance.now() + timeoutFor(batch, timeoutMs) + MARGIN_MS;
    let isAnswerLost = batch.some((pending) => this.#unconfirmed.has(pending));
    const attempt = async () => {
      const outcomes = isAnswerLost ? await this.#commitMissing(batch, locking) : await this.#commitNew(batch, locking);
      await faults.hit('accept:answer');
      return outcomes;
    };
    try {
      return await retryUntilKnown(() => withTimeout(attempt(), deadline - performance.now()), {
        pauseMs: RETRY_PAUSE_MS,
        isStopping: (error) =>
          performance.now() + RETRY_PAUSE_MS > deadline ||
          isTimeout(error) ||
          isStoreUnable(error) ||
          isLockTimeout(error),
        onFailure: (error) => {
          isAnswerLost ||= isOutcomeUnknown(error);
        },
      });
    } catch (error) {
      // If PostgreSQL refused the batch, nothing was committed, because `findCommitted` would have found an earlier commit.
      if (!isTransient(error)) throw error;
      if (isLockTimeout(error)) {
        // The outcome of the commit is unknown until the account can be locked.
        for (const pending of isAnswerLost ? batch : []) this.#unconfirmed.add(pending);
        throw error;
      }
      const wasRefused = isStoreUnable(error) && !isAnswerLost;
      this.#failures.report(error, wasRefused ? 'PostgreSQL refused a commit' : 'cannot confirm a commit');
      throw new AppError('UNAVAILABLE', wasRefused ? STORE_REFUSED_MESSAGE : OUTCOME_UNKNOWN_MESSAGE, [], {
        cause: error,
      });
    }
  }

  async #commitNew(
    batch: readonly PendingRequest[],
    { lockMs, isKnownLocked = false }: LockOptions,
  ): Promise<readonly CommitOutcome[]> {
    const { pool } = this.#options;
    const [first] = batch;
    if (first && isLarge(first) && !costsTooMuch(batch)) {
      return [await commitLarge(pool, first, this.#guardOptions(lockMs), { locksFirst: isKnownLocked })];
    }
    if (isGuarded(batch)) return inTransaction(pool, (client) => this.#commitIn(client, batch, lockMs));
    return this.#commitOn(pool, batch, lockMs);
  }

  async #commitMissing(batch: readonly PendingRequest[], locking: LockOptions): Promise<readonly CommitOutcome[]> {
    const { lockMs } = locking;
    const [first] = batch;
    if (first && isLarge(first)) {
      // A lost transaction that can still commit holds the account's lock, and `findCommitted` waits for that lock. A request
      // that is not found will therefore never be committed.
      const committed = await inTransaction(this.#options.pool, (client) => findCommitted(client, batch, lockMs));
      return committed.has(first) ? ['accepted'] : this.#commitNew(batch, locking);
    }
    return inTransaction(this.#options.pool, async (client) => {
      const committed = await findCommitted(client, batch, lockMs);
      const missing = batch.filter((pending) => !committed.has(pending));
      const outcomes = missing.length > 0 ? await this.commitWithin(client, missing) : [];
      return batch.map((pending) =>
        committed.has(pending) ? 'accepted' : (outcomes[missing.indexOf(pending)] as CommitOutcome),
      );
    });
  }
}

type CommitResult = CommitOutcome | Error | typeof ACCOUNT_LOCKED;

function createUnavailable(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', STORE_REFUSED_MESSAGE, [], { cause });
}

function isLarge({ ids, storedBytes }: PendingRequest): boolean {
  return computeCommitWeight(ids.length, storedBytes) > BATCH_MESSAGES;
}

function timeoutFor(batch: readonly PendingRequest[], timeoutMs: number): number {
  const weight = batch.reduce((sum, { ids, storedBytes }) => sum + computeCommitWeight(ids.length, storedBytes), 0);
  return timeoutMs + Math.max(0, weight - BATCH_MESSAGES) * TIMEOUT_PER_WEIGHT_MS;
}

/** Detects a total charge that exceeds the range of PostgreSQL's bigint, and thus every possible balance. */
function costsTooMuch(batch: readonly PendingRequest[]): boolean {
  return batch.reduce((sum, { charge }) => sum + charge, 0n) > MAX_MICROS;
}

function isUnavailable(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'UNAVAILABLE';
}
