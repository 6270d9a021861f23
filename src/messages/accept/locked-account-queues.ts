import { AccountLocked, type LockedAccounts } from '../../accounts/locked-accounts.js';
import { AppError } from '../../platform/errors/app-error.js';
import { GroupCommit, type GroupCommitOptions } from '../../platform/group-commit.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';

export const ACCOUNT_LOCKED = Symbol('account-locked');

type Result = CommitOutcome | typeof ACCOUNT_LOCKED;

export interface LockedAccountQueuesOptions extends Omit<GroupCommitOptions<PendingRequest, Result>, 'commit'> {
  lockedAccounts: LockedAccounts;
  timeoutMs: number;
  commit(batch: readonly PendingRequest[], lockMs: number): Promise<readonly (Result | Error)[]>;
}

/** Commits the requests of locked accounts, with one queue per account. */
export class LockedAccountQueues {
  readonly #options: LockedAccountQueuesOptions;
  readonly #queues = new Map<string, GroupCommit<PendingRequest, Result>>();

  constructor(options: LockedAccountQueuesOptions) {
    this.#options = options;
  }

  /** @throws {AppError} UNAVAILABLE if the account stays locked too long; nothing was committed */
  async commit(pending: PendingRequest): Promise<CommitOutcome> {
    const { id } = pending.request.account;
    const deadline = performance.now() + this.#options.timeoutMs;
    for (;;) {
      const queue = this.#openQueue(id);
      try {
        const outcome = await queue.add(pending);
        if (outcome !== ACCOUNT_LOCKED) return outcome;
      } finally {
        if (queue.waitingWeight === 0) this.#queues.delete(id);
      }
      if (performance.now() > deadline) {
        throw new AppError('UNAVAILABLE', 'The account is busy; nothing was accepted. Try again in a moment.');
      }
    }
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.waitUntilIdle()));
  }

  #openQueue(accountId: string): GroupCommit<PendingRequest, Result> {
    const { lockedAccounts, timeoutMs, commit, ...queueOptions } = this.#options;
    const existing = this.#queues.get(accountId);
    if (existing) return existing;
    const attempt = async (batch: readonly PendingRequest[], lockMs: number) => {
      const results = await commit(batch, lockMs);
      if (results.every((result) => result === ACCOUNT_LOCKED)) throw new AccountLocked();
      return results;
    };
    const queue = new GroupCommit<PendingRequest, Result>({
      ...queueOptions,
      commit: (batch) => lockedAccounts.runInTurn(accountId, (lockMs) => attempt(batch, lockMs), timeoutMs),
    });
    this.#queues.set(accountId, queue);
    return queue;
  }
}
