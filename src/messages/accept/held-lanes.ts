import { AccountLocked, type LockedAccounts } from '../../accounts/locked-accounts.js';
import { AppError } from '../../platform/errors/app-error.js';
import { GroupCommit, type GroupCommitOptions } from '../../platform/group-commit.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';

export const HELD = Symbol('account-locked');

type Result = CommitOutcome | typeof HELD;

export interface HeldLanesOptions extends Omit<GroupCommitOptions<PendingRequest, Result>, 'commit'> {
  lockedAccounts: LockedAccounts;
  patienceMs: number;
  commit(batch: readonly PendingRequest[], lockMs: number): Promise<readonly (Result | Error)[]>;
}

/** Commits the requests of locked accounts, with one queue per account. */
export class HeldLanes {
  readonly #options: HeldLanesOptions;
  readonly #lanes = new Map<string, GroupCommit<PendingRequest, Result>>();

  constructor(options: HeldLanesOptions) {
    this.#options = options;
  }

  /** @throws {AppError} UNAVAILABLE if the account stays locked too long; nothing was committed */
  async commit(pending: PendingRequest): Promise<CommitOutcome> {
    const { id } = pending.request.account;
    const deadline = performance.now() + this.#options.patienceMs;
    for (;;) {
      const lane = this.#lane(id);
      try {
        const outcome = await lane.add(pending);
        if (outcome !== HELD) return outcome;
      } finally {
        if (lane.waitingWeight === 0) this.#lanes.delete(id);
      }
      if (performance.now() > deadline) {
        throw new AppError('UNAVAILABLE', 'The account is busy; nothing was accepted. Try again in a moment.');
      }
    }
  }

  async idle(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
  }

  #lane(accountId: string): GroupCommit<PendingRequest, Result> {
    const { lockedAccounts, patienceMs, commit, ...lines } = this.#options;
    const existing = this.#lanes.get(accountId);
    if (existing) return existing;
    const attempt = async (batch: readonly PendingRequest[], lockMs: number) => {
      const results = await commit(batch, lockMs);
      if (results.every((result) => result === HELD)) throw new AccountLocked();
      return results;
    };
    const lane = new GroupCommit<PendingRequest, Result>({
      ...lines,
      commit: (batch) => lockedAccounts.runInTurn(accountId, (lockMs) => attempt(batch, lockMs), patienceMs),
    });
    this.#lanes.set(accountId, lane);
    return lane;
  }
}
