import type pg from 'pg';
import type { Logger } from 'pino';
import { type HeldAccounts, isLockTimeout, SHARED_LOCK_MS } from '../../accounts/held-accounts.js';
import { MAX_MICROS } from '../../accounts/money.js';
import { AccountPlaces } from '../../accounts/places.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import { GroupCommit } from '../../platform/group-commit.js';
import { SaidOnce } from '../../platform/log/said-once.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import { isTransient, isUnable, outcomeUnknown, wasSilent } from '../../platform/store/failures.js';
import { untilKnown } from '../../platform/store/repeat.js';
import { withTimeout } from '../../platform/timeout.js';
import { commitLarge } from './accept-large-store.js';
import { commitPlain, isPlain } from './accept-plain-store.js';
import { accountsOf, commitGeneral, findCommitted } from './accept-store.js';
import { commitGuarded, type GuardOptions, isGuarded } from './guard/commit-guarded.js';
import { SendingHeld } from './guard/holds.js';
import { LimitReached } from './guard/limits.js';
import { CountryMeans } from './guard/watch.js';
import { HELD, HeldLanes } from './held-lanes.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';
import { weightOf } from './volume.js';

/** A batch closes before it outgrows this many messages, or the weight of their texts; a heavier request is a large one. */
const BATCH_MESSAGES = 500;
/** Extra milliseconds for each message of a large request beyond an ordinary batch: it takes many statements. */
const TIMEOUT_PER_WEIGHT_MS = 0.2;
/** So that a statement that is not answered is the first to fail, and says why. */
const MARGIN_MS = 250;
const UNKNOWN_PAUSE_MS = 100;
const UNKNOWN_MESSAGE =
  'The store did not answer, so it is unknown whether the request was accepted. Repeat it with an Idempotency-Key to be safe.';
const UNABLE_MESSAGE = 'The store cannot take the request at the moment; nothing was accepted. Try again in a moment.';

export interface CommitterOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  faults: FaultPoints;
  /**
   * How long a commit may take, including the query that finds out what became of a commit whose response was lost. After
   * that the caller gets UNAVAILABLE.
   */
  timeoutMs: number;
  held: HeldAccounts;
  /** Messages that may wait for a commit. */
  waitingLimit: number;
  /** Told of every committed request, after its commit; must not throw. */
  onCommitted(committed: readonly PendingRequest[]): void;
}

/** How a commit waits for the rows of accounts. */
interface Locking {
  lockMs: number;
  /** The batch belongs to one account, whose row another transaction has locked. */
  isHeld?: boolean;
}

/**
 * Commits prepared sends together with those that arrive at the same time: debit, idempotency key, messages and ledger.
 * It learns the outcome of each before it answers, also where the store's answer is lost.
 */
export class Committer {
  readonly #options: CommitterOptions;
  readonly #commits: GroupCommit<PendingRequest, CommitOutcome | typeof HELD>;
  /** Large requests commit one by one beside the others, which would otherwise wait for seconds behind them. */
  readonly #large: GroupCommit<PendingRequest, CommitOutcome | typeof HELD>;
  /** So do those of accounts with limits, whose transactions have more to ask. */
  readonly #limited: GroupCommit<PendingRequest, CommitOutcome | typeof HELD>;
  /** Requests of locked accounts: no other account's request waits for them. */
  readonly #lanes: HeldLanes;
  /** Requests of locked accounts that may be committed already, because the answer to their commit was lost. */
  readonly #unknown = new WeakSet<PendingRequest>();
  readonly #failures: SaidOnce;
  readonly #means = new CountryMeans();
  readonly #places = new AccountPlaces();

  constructor(options: CommitterOptions) {
    this.#options = options;
    this.#failures = new SaidOnce({ log: options.log, level: 'warn' });
    const lines = {
      weigh: (pending: PendingRequest) => weightOf(pending.ids.length, pending.storedBytes),
      batchWeight: BATCH_MESSAGES,
      waitingLimit: options.waitingLimit,
      endsWaiting: isUnavailable,
    };
    const shared = { ...lines, commit: (batch: readonly PendingRequest[]) => this.#commitFree(batch) };
    this.#commits = new GroupCommit(shared);
    this.#limited = new GroupCommit(shared);
    this.#lanes = new HeldLanes({
      ...lines,
      held: options.held,
      patienceMs: options.timeoutMs,
      commit: (batch, lockMs) => this.#commit(batch, { lockMs, isHeld: true }),
    });
    this.#large = new GroupCommit({
      ...shared,
      weigh: (pending) => pending.ids.length,
      batchWeight: 1,
    });
  }

  /** For those who watch. */
  get groups() {
    return { accept: this.#commits, accept_large: this.#large, accept_limited: this.#limited };
  }

  /**
   * Resolves once the request is committed or refused.
   * @throws {AppError} UNAVAILABLE when the server is overloaded or cannot learn whether the commit happened
   */
  async commit(pending: PendingRequest): Promise<CommitOutcome> {
    if (!this.#options.held.isHeld(pending.request.account.id)) {
      const outcome = await this.#lineFor(pending).add(pending);
      if (outcome !== HELD) return outcome;
    }
    try {
      return await this.#lanes.commit(pending);
    } catch (error) {
      if (!this.#unknown.has(pending) || !isUnavailable(error)) throw error;
      throw new AppError('UNAVAILABLE', UNKNOWN_MESSAGE, [], { cause: error });
    }
  }

  #lineFor(pending: PendingRequest): GroupCommit<PendingRequest, CommitOutcome | typeof HELD> {
    if (isLarge(pending)) return this.#large;
    return isGuarded([pending]) ? this.#limited : this.#commits;
  }

  /** Commits requests in the caller's transaction. `onCommitted` is not told of them. */
  async commitWithin(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]> {
    return this.#commitIn(client, batch, null);
  }

  async #commitIn(
    client: pg.PoolClient,
    batch: readonly PendingRequest[],
    lockMs: number | null,
  ): Promise<readonly CommitOutcome[]> {
    if (!isGuarded(batch)) return this.#commitOn(client, batch, lockMs);
    return commitGuarded(client, batch, this.#guard(lockMs), (passed) => this.#commitOn(client, passed, null));
  }

  #guard(lockMs: number | null): GuardOptions {
    return { now: this.#options.clock.now(), means: this.#means, lockMs };
  }

  async #commitOn(
    connection: pg.Pool | pg.PoolClient,
    batch: readonly PendingRequest[],
    lockMs: number | null,
  ): Promise<readonly CommitOutcome[]> {
    if (costsTooMuch(batch)) return batch.map(() => 'unfunded');
    const at = { now: this.#options.clock.now(), places: this.#places, lockMs };
    if (!isPlain(batch)) return commitGeneral(connection, batch, at);
    const outcome = (await commitPlain(connection, batch, at)) ? 'accepted' : 'unfunded';
    return batch.map(() => outcome);
  }

  /** Resolves once every commit that was begun has its answer. */
  async idle(): Promise<void> {
    await Promise.all([this.#commits.idle(), this.#large.idle(), this.#limited.idle(), this.#lanes.idle()]);
  }

  /** Commits the requests of a batch whose accounts are not locked. */
  async #commitFree(batch: readonly PendingRequest[]): Promise<CommitResult[]> {
    const { held } = this.#options;
    if (held.size === 0) return this.#commit(batch, { lockMs: SHARED_LOCK_MS });
    const free = batch.filter(({ request }) => !held.isHeld(request.account.id));
    const results = free.length > 0 ? await this.#commit(free, { lockMs: SHARED_LOCK_MS }) : [];
    return batch.map((pending) => (free.includes(pending) ? (results[free.indexOf(pending)] as CommitResult) : HELD));
  }

  async #commit(batch: readonly PendingRequest[], locking: Locking): Promise<CommitResult[]> {
    const results = await this.#commitShared(batch, locking);
    // The account could not pay for all of its requests at once: each is tried alone, in order. So is what found a limit
    // used up by others that were not accepted after all.
    const wasUsedUp = results.some((each) => each === 'unfunded' || each === 'conflict');
    const isToTry = (each: CommitResult | undefined) =>
      each === 'unfunded' || (wasUsedUp && (each instanceof LimitReached || each instanceof SendingHeld));
    const again = batch.length > 1 ? batch.filter((_, index) => isToTry(results[index])) : [];
    const outcomes = await this.#commitEach(again, locking);
    for (const [index, pending] of again.entries()) results[batch.indexOf(pending)] = outcomes[index] as CommitResult;
    await this.#options.faults.hit('accept:committed');
    const accepted = batch.filter((_, index) => results[index] === 'accepted');
    if (accepted.length > 0) this.#options.onCommitted(accepted);
    return results;
  }

  async #commitShared(batch: readonly PendingRequest[], locking: Locking): Promise<CommitResult[]> {
    try {
      return [...(await this.#commitKnown(batch, locking))];
    } catch (error) {
      if (isLockTimeout(error)) return this.#commitApart(batch, locking);
      if (batch.length === 1 || error instanceof AppError) return batch.map(() => error as Error);
      const message = 'a shared commit failed; trying each request alone';
      this.#failures.say(error, message, { requests: batch.length });
      return this.#commitEach(batch, locking);
    }
  }

  /** After the wait for a locked account: commits the requests of the other accounts. */
  async #commitApart(batch: readonly PendingRequest[], locking: Locking): Promise<CommitResult[]> {
    const { held } = this.#options;
    const accounts = accountsOf(batch);
    if (accounts.length === 1) {
      held.hold(accounts[0] as string);
      return batch.map(() => HELD);
    }
    let locked: ReadonlySet<string>;
    try {
      locked = await held.find(accounts);
    } catch (error) {
      return batch.map(() => unableFor(error));
    }
    // The lock may be gone by now, or come back: then each account is committed alone.
    const groups = locked.size > 0 ? [accounts.filter((id) => !locked.has(id))] : accounts.map((id) => [id]);
    const results = batch.map((): CommitResult => HELD);
    for (const group of groups) {
      const part = batch.filter(({ request }) => group.includes(request.account.id));
      const outcomes = part.length > 0 ? await this.#commitShared(part, locking) : [];
      for (const [index, pending] of part.entries()) results[batch.indexOf(pending)] = outcomes[index] as CommitResult;
    }
    return results;
  }

  /** Commits requests one by one. Where one finds the store away, so would those after it: they are not tried. */
  async #commitEach(batch: readonly PendingRequest[], locking: Locking): Promise<CommitResult[]> {
    const outcomes: CommitResult[] = [];
    let outage: Error | null = null;
    for (const pending of batch) {
      if (outage) {
        outcomes.push(outage);
        continue;
      }
      if (!locking.isHeld && this.#options.held.isHeld(pending.request.account.id)) {
        outcomes.push(HELD);
        continue;
      }
      try {
        outcomes.push(...(await this.#commitKnown([pending], locking)));
      } catch (error) {
        if (isLockTimeout(error)) this.#options.held.hold(pending.request.account.id);
        outcomes.push(isLockTimeout(error) ? HELD : (error as Error));
        if (isUnavailable(error)) outage = error;
      }
    }
    return outcomes;
  }

  /** Commits a batch; where the answer is lost, finds out what happened before anything is tried again. */
  async #commitKnown(batch: readonly PendingRequest[], locking: Locking): Promise<readonly CommitOutcome[]> {
    const { faults, timeoutMs } = this.#options;
    const deadline = performance.now() + timeoutFor(batch, timeoutMs) + MARGIN_MS;
    let answerLost = batch.some((pending) => this.#unknown.has(pending));
    const attempt = async () => {
      const outcomes = answerLost ? await this.#commitMissing(batch, locking) : await this.#commitAnew(batch, locking);
      await faults.hit('accept:answer');
      return outcomes;
    };
    try {
      return await untilKnown(() => withTimeout(attempt(), deadline - performance.now()), {
        pauseMs: UNKNOWN_PAUSE_MS,
        isStopping: (error) =>
          performance.now() + UNKNOWN_PAUSE_MS > deadline ||
          wasSilent(error) ||
          isUnable(error) ||
          isLockTimeout(error),
        onFailure: (error) => {
          answerLost ||= outcomeUnknown(error);
        },
      });
    } catch (error) {
      // Nothing was committed, now or before: a commit whose answer was lost is looked for under the lock.
      if (!isTransient(error)) throw error;
      if (isLockTimeout(error)) {
        // What became of it is known once the account could be locked.
        for (const pending of answerLost ? batch : []) this.#unknown.add(pending);
        throw error;
      }
      const refused = isUnable(error) && !answerLost;
      this.#failures.say(error, refused ? 'a commit was refused' : 'a commit could not be confirmed');
      throw new AppError('UNAVAILABLE', refused ? UNABLE_MESSAGE : UNKNOWN_MESSAGE, [], { cause: error });
    }
  }

  async #commitAnew(
    batch: readonly PendingRequest[],
    { lockMs, isHeld = false }: Locking,
  ): Promise<readonly CommitOutcome[]> {
    const { pool } = this.#options;
    const [first] = batch;
    // It is alone in its batch.
    if (first && isLarge(first) && !costsTooMuch(batch)) {
      return [await commitLarge(pool, first, this.#guard(lockMs), { locksFirst: isHeld })];
    }
    if (isGuarded(batch)) return inTransaction(pool, (client) => this.#commitIn(client, batch, lockMs));
    return this.#commitOn(pool, batch, lockMs);
  }

  async #commitMissing(batch: readonly PendingRequest[], locking: Locking): Promise<readonly CommitOutcome[]> {
    const { lockMs } = locking;
    const [first] = batch;
    if (first && isLarge(first)) {
      // A lost transaction that can still commit holds the account's lock, for which this look waits; so what is not
      // there by then never will be.
      const committed = await inTransaction(this.#options.pool, (client) => findCommitted(client, batch, lockMs));
      return committed.has(first) ? ['accepted'] : this.#commitAnew(batch, locking);
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

/** What became of a request; `HELD` where somebody holds the account's row, and nothing has happened. */
type CommitResult = CommitOutcome | Error | typeof HELD;

function unableFor(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', UNABLE_MESSAGE, [], { cause });
}

function isLarge({ ids, storedBytes }: PendingRequest): boolean {
  return weightOf(ids.length, storedBytes) > BATCH_MESSAGES;
}

function timeoutFor(batch: readonly PendingRequest[], timeoutMs: number): number {
  const weight = batch.reduce((sum, { ids, storedBytes }) => sum + weightOf(ids.length, storedBytes), 0);
  return timeoutMs + Math.max(0, weight - BATCH_MESSAGES) * TIMEOUT_PER_WEIGHT_MS;
}

/** Whether a batch costs more than a balance can hold. PostgreSQL would not read such an amount. */
function costsTooMuch(batch: readonly PendingRequest[]): boolean {
  return batch.reduce((sum, { charge }) => sum + charge, 0n) > MAX_MICROS;
}

function isUnavailable(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'UNAVAILABLE';
}
