import type pg from 'pg';
import type { ChangeTransaction } from '../../accounts/audit/change.js';
import { lockAccounts } from '../../accounts/ledger-store.js';
import { AccountLocked, type LockedAccounts, SHARED_LOCK_MS } from '../../accounts/locked-accounts.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import type { SendRequest } from '../compose/send-request.js';
import type { RecipientsAtLimit } from './guard/commit-guarded.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';

export interface AcceptingTransaction {
  readonly client: pg.PoolClient;
  prepare(request: SendRequest): Promise<PendingRequest>;
  /** Accepted sends are queued after the transaction commits, but the caller must handle sends that are not accepted. */
  commit(batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]>;
  /**
   * Finds recipients who would cause the whole send to be refused, because their numbers are held or they have reached
   * a per-recipient limit (`guard`) or the frequency cap (`cap`).
   */
  findRecipientsAtLimit(batch: readonly PendingRequest[]): Promise<RecipientsAtLimit>;
}

/** Rows are locked in the order of these members (docs/architecture.md). */
export interface AcceptingPlan<T> {
  /** Locks rows that only one worker at a time may process, such as a campaign. */
  claim?(client: pg.PoolClient): Promise<T>;
  listPayers(claimed: T): readonly string[];
  /** If a paying account is locked, the transaction fails immediately with `AccountLocked` instead of waiting. */
  isBackground?: boolean;
  /** Longest wait for a locked account in milliseconds, by default the timeout of a request. */
  lockPatienceMs?: number;
  /** Name of the fault point between the commit and the queueing of accepted messages. */
  faultPoint?: string;
}

/** The owner of a `ChangeTransaction` commits it later, together with the sends. */
export type AcceptingHost = pg.Pool | Pick<ChangeTransaction, 'client' | 'afterCommit'>;

export interface AcceptWithinSteps {
  lockedAccounts: LockedAccounts;
  timeoutMs: number;
  prepare(request: SendRequest, client: pg.PoolClient): Promise<PendingRequest>;
  commit(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]>;
  findRecipientsAtLimit(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<RecipientsAtLimit>;
  hit(faultPoint: string): Promise<void> | void;
  onAccepted(accepted: readonly PendingRequest[]): void;
}

export async function acceptWithin<T, R>(
  steps: AcceptWithinSteps,
  host: AcceptingHost,
  plan: AcceptingPlan<T>,
  work: (transaction: AcceptingTransaction, claimed: T) => Promise<R>,
): Promise<R> {
  const { lockedAccounts } = steps;
  let accepted: PendingRequest[] = [];
  let payers: string[] = [];
  const run = async (client: pg.PoolClient, lock: (payers: readonly string[]) => Promise<void>): Promise<R> => {
    accepted = [];
    const claimed = (await plan.claim?.(client)) as T;
    payers = [...new Set(plan.listPayers(claimed))];
    if (payers.length > 0) await lock(payers);
    const transaction: AcceptingTransaction = {
      client,
      prepare: (request) => steps.prepare(request, client),
      findRecipientsAtLimit: (batch) => steps.findRecipientsAtLimit(client, batch),
      commit: async (batch) => {
        const unlocked = batch.find(({ request }) => !payers.includes(request.account.id));
        if (unlocked)
          throw new Error(`account ${unlocked.request.account.id} pays for a send, but was not locked as a payer`);
        const outcomes = batch.length > 0 ? await steps.commit(client, batch) : [];
        accepted.push(...batch.filter((_, index) => outcomes[index] === 'accepted'));
        return outcomes;
      },
    };
    return work(transaction, claimed);
  };
  if ('afterCommit' in host) {
    const result = await run(host.client, (ids) => lockAccounts(host.client, ids));
    if (accepted.length > 0) host.afterCommit(() => steps.onAccepted(accepted));
    return result;
  }
  const attempt = (lockMs: number, failsIfLocked: boolean) =>
    inTransaction(host, (client) =>
      run(client, async (ids) => {
        if (failsIfLocked && ids.some((id) => lockedAccounts.isLocked(id))) throw new AccountLocked();
        await lockAccounts(client, ids, lockMs);
      }),
    );
  let result: R;
  try {
    result = await attempt(SHARED_LOCK_MS, true);
  } catch (error) {
    if (!(error instanceof AccountLocked)) throw error;
    const [payer, ...furtherPayers] = payers as [string];
    if (plan.isBackground || furtherPayers.length > 0) {
      const locked = await lockedAccounts.findLocked(payers);
      if (locked.size > 0) throw error;
      result = await attempt(SHARED_LOCK_MS, true);
    } else
      result = await lockedAccounts.runInTurn(
        payer,
        (lockMs) => attempt(lockMs, false),
        plan.lockPatienceMs ?? steps.timeoutMs,
      );
  }
  if (accepted.length > 0) {
    if (plan.faultPoint) await steps.hit(plan.faultPoint);
    steps.onAccepted(accepted);
  }
  return result;
}
