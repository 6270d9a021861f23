import type pg from 'pg';
import { AppError } from '../platform/errors/app-error.js';
import type { PlannedStatement } from '../platform/store/connections/pool.js';
import { getSqlState, LOCK_NOT_AVAILABLE } from '../platform/store/failures.js';

/** Longest wait for a row lock in a statement for several accounts, because the wait delays the other accounts too. */
export const SHARED_LOCK_MS = 25;
const TURN_MS = 250;
/** An account counts as unlocked after this many consecutive attempts without a lock timeout. */
const TURNS_UNTIL_SHARED = 3;
const FORGOTTEN_AFTER_MS = 30_000;

/** Thrown when the wait for an account's row lock times out, so that the transaction must be rolled back. */
export class AccountLocked extends Error {
  /** The error has PostgreSQL's code for a lock timeout, so that background work retries its transaction. */
  readonly code = LOCK_NOT_AVAILABLE;

  /** `accountId` is null if the statement tried to lock several accounts. */
  constructor(
    cause?: unknown,
    readonly accountId: string | null = null,
  ) {
    super('the row of the account is locked by another transaction', { cause });
    this.name = 'AccountLocked';
  }
}

export function isLockTimeout(error: unknown): boolean {
  return getSqlState(error) === LOCK_NOT_AVAILABLE;
}

interface Turn {
  attempt(lockMs: number): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** By `performance.now()`. */
  deadline: number;
  timer: NodeJS.Timeout | null;
}

interface LockedAccount {
  turns: Turn[];
  /** Whether the account's current turn, which has been removed from `turns`, is running. */
  isServed: boolean;
  freeTurns: number;
  lastUsedAt: number;
}

const FIND_FREE: PlannedStatement = {
  text: 'SELECT id FROM accounts WHERE id = ANY($1::uuid[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED',
};

/**
 * Queues work on accounts that another transaction has locked, and does the work on a single connection. Statements for several
 * accounts leave out locked accounts, so that other accounts are not delayed.
 */
export class LockedAccounts {
  readonly #pool: pg.Pool;
  readonly #patienceMs: number;
  /** In turn order. */
  readonly #accounts = new Map<string, LockedAccount>();
  #isServing = false;
  #hasGivenUp = false;

  constructor(pool: pg.Pool, patienceMs: number) {
    this.#pool = pool;
    this.#patienceMs = patienceMs;
  }

  get size(): number {
    if (this.#accounts.size > 0) this.#releaseUnused();
    return this.#accounts.size;
  }

  isLocked(accountId: string): boolean {
    return this.#accounts.size > 0 && this.#accounts.has(accountId);
  }

  markLocked(accountId: string): void {
    this.#getOrAdd(accountId);
  }

  /**
   * Finds accounts whose row is locked, without waiting for locks. An account without queued work counts as unlocked
   * once its row is unlocked.
   */
  async findLocked(accountIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({ ...FIND_FREE, values: [accountIds] });
    const freeIds = new Set(rows.map(({ id }) => id));
    const lockedIds = new Set(accountIds.filter((id) => !freeIds.has(id)));
    for (const id of lockedIds) this.markLocked(id);
    for (const id of freeIds) this.#releaseIfIdle(id);
    return lockedIds;
  }

  async run<T>(accountId: string, attempt: (lockMs: number) => Promise<T>): Promise<T> {
    if (!this.isLocked(accountId)) {
      try {
        return await attempt(SHARED_LOCK_MS);
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      }
    }
    return this.runInTurn(accountId, attempt);
  }

  /**
   * Calls `attempt` when it is the account's turn, and again in a later turn after each lock timeout. `attempt` must use a
   * transaction that waits at most `lockMs` milliseconds for the account's row. If the account stays locked for `patienceMs`
   * milliseconds, the promise is rejected and nothing has changed.
   * @throws {AppError} UNAVAILABLE
   */
  runInTurn<T>(accountId: string, attempt: (lockMs: number) => Promise<T>, patienceMs = this.#patienceMs): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const turn: Turn = {
        attempt,
        resolve: resolve as (result: unknown) => void,
        reject,
        deadline: performance.now() + patienceMs,
        timer: null,
      };
      if (Number.isFinite(patienceMs)) turn.timer = setTimeout(() => this.#expire(accountId, turn), patienceMs);
      this.#getOrAdd(accountId).turns.push(turn);
      if (!this.#isServing) void this.#serve();
    });
  }

  /** Rejects all waiting work. After `giveUp`, new work for a locked account is attempted only once. */
  giveUp(): void {
    this.#hasGivenUp = true;
    for (const [id, { turns }] of this.#accounts) for (const turn of [...turns]) this.#expire(id, turn);
  }

  #getOrAdd(accountId: string): LockedAccount {
    const account = this.#accounts.get(accountId) ?? { turns: [], isServed: false, freeTurns: 0, lastUsedAt: 0 };
    account.lastUsedAt = performance.now();
    this.#accounts.set(accountId, account);
    return account;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    for (;;) {
      const next = [...this.#accounts].find(([, { turns }]) => turns.length > 0);
      if (!next) break;
      const [id, account] = next;
      // Move the account to the end of the queue, so that the next turn goes to another account.
      this.#accounts.delete(id);
      this.#accounts.set(id, account);
      await this.#runTurn(id, account, account.turns.shift() as Turn);
    }
    this.#isServing = false;
  }

  async #runTurn(id: string, account: LockedAccount, turn: Turn): Promise<void> {
    if (turn.timer) clearTimeout(turn.timer);
    account.lastUsedAt = performance.now();
    account.isServed = true;
    try {
      turn.resolve(await turn.attempt(TURN_MS));
      account.freeTurns += 1;
      const wasQuick = performance.now() - account.lastUsedAt < SHARED_LOCK_MS;
      // Keep treating the account as locked until all its queued work has finished.
      if (account.turns.length === 0 && (wasQuick || account.freeTurns >= TURNS_UNTIL_SHARED))
        this.#accounts.delete(id);
    } catch (error) {
      account.freeTurns = 0;
      if (!isLockTimeout(error)) return turn.reject(error);
      const remainingMs = turn.deadline - performance.now();
      if (remainingMs <= 0 || this.#hasGivenUp) return turn.reject(createUnavailableError(error));
      if (Number.isFinite(remainingMs)) turn.timer = setTimeout(() => this.#expire(id, turn), remainingMs);
      account.turns.unshift(turn);
    } finally {
      account.isServed = false;
    }
  }

  #expire(id: string, turn: Turn): void {
    const turns = this.#accounts.get(id)?.turns;
    const index = turns?.indexOf(turn) ?? -1;
    if (index < 0) return;
    turns?.splice(index, 1);
    if (turn.timer) clearTimeout(turn.timer);
    turn.reject(createUnavailableError());
  }

  #releaseUnused(): void {
    const cutoff = performance.now() - FORGOTTEN_AFTER_MS;
    for (const [id, { lastUsedAt }] of this.#accounts) if (lastUsedAt < cutoff) this.#releaseIfIdle(id);
  }

  #releaseIfIdle(id: string): void {
    const account = this.#accounts.get(id);
    if (account && account.turns.length === 0 && !account.isServed) this.#accounts.delete(id);
  }
}

function createUnavailableError(cause?: unknown): AppError {
  const message = 'Another transaction has locked the account. Nothing was changed; try again in a moment.';
  return new AppError('UNAVAILABLE', message, [], { cause });
}
