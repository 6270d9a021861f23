import type pg from 'pg';
import type { ChangeTransaction } from '../../accounts/audit/change.js';
import { lockAccounts } from '../../accounts/ledger-store.js';
import { AccountLocked, type LockedAccounts, SHARED_LOCK_MS } from '../../accounts/locked-accounts.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import type { SendRequest } from '../compose/send-request.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';

/** A transaction that accepts sends along with the caller's own changes. The paying accounts are locked. */
export interface AcceptingTransaction {
  readonly client: pg.PoolClient;
  /**
   * Prices a send and assigns message IDs, on the transaction's connection.
   * @throws {AppError} INVALID_REQUEST if the text is too long for a message or a commit
   */
  prepare(request: SendRequest): Promise<PendingRequest>;
  /**
   * Debits and inserts prepared sends. The queue gets accepted ones after the commit; the caller handles the others.
   */
  commit(batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]>;
  /**
   * Recipients who have reached a per-recipient limit or are held. A send that includes them would be refused entirely.
   */
  atLimit(batch: readonly PendingRequest[]): Promise<ReadonlySet<string>>;
}

/** What the transaction locks before the caller's work, in the lock order of docs/architecture.md. */
export interface AcceptingPlan<T> {
  /** Locks what only one worker may process, such as a campaign. Comes before accounts in the lock order. */
  claim?(client: pg.PoolClient): Promise<T>;
  /** IDs of the paying accounts, which are locked next. Empty if there is nothing to send after all. */
  payers(claimed: T): readonly string[];
  /**
   * No caller waits for the result. If another session has locked a paying account, the transaction fails with
   * `AccountLocked` and is repeated later. Otherwise it waits for its turn at the account.
   */
  isBackground?: boolean;
  /** Fault point after the commit and before the queue gets the messages. Passed only if something was accepted. */
  faultPoint?: string;
}

/** A pool, or a running change with which the sends commit. */
export type AcceptingHost = pg.Pool | Pick<ChangeTransaction, 'client' | 'afterCommit'>;

export interface AcceptWithinSteps {
  lockedAccounts: LockedAccounts;
  /** How long to wait for a locked account. */
  timeoutMs: number;
  prepare(request: SendRequest, client: pg.PoolClient): Promise<PendingRequest>;
  commit(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]>;
  atLimit(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<ReadonlySet<string>>;
  hit(faultPoint: string): Promise<void> | void;
  /** Called with accepted requests, after the commit. */
  onAccepted(accepted: readonly PendingRequest[]): void;
}

/** Implements `Acceptor.within`. */
export async function acceptWithin<T, R>(
  parts: AcceptWithinSteps,
  host: AcceptingHost,
  plan: AcceptingPlan<T>,
  work: (transaction: AcceptingTransaction, claimed: T) => Promise<R>,
): Promise<R> {
  const { lockedAccounts } = parts;
  let accepted: PendingRequest[] = [];
  let payers: string[] = [];
  const run = async (client: pg.PoolClient, lock: (payers: readonly string[]) => Promise<void>): Promise<R> => {
    accepted = [];
    const claimed = (await plan.claim?.(client)) as T;
    payers = [...new Set(plan.payers(claimed))];
    if (payers.length > 0) await lock(payers);
    const transaction: AcceptingTransaction = {
      client,
      prepare: (request) => parts.prepare(request, client),
      atLimit: (batch) => parts.atLimit(client, batch),
      commit: async (batch) => {
        const unlocked = batch.find(({ request }) => !payers.includes(request.account.id));
        if (unlocked) throw new Error(`account ${unlocked.request.account.id} is to pay, but is not locked as a payer`);
        const outcomes = batch.length > 0 ? await parts.commit(client, batch) : [];
        accepted.push(...batch.filter((_, index) => outcomes[index] === 'accepted'));
        return outcomes;
      },
    };
    return work(transaction, claimed);
  };
  if ('afterCommit' in host) {
    const result = await run(host.client, (ids) => lockAccounts(host.client, ids));
    if (accepted.length > 0) host.afterCommit(() => parts.onAccepted(accepted));
    return result;
  }
  const attempt = (lockMs: number, isShared: boolean) =>
    inTransaction(host, (client) =>
      run(client, async (ids) => {
        if (isShared && ids.some((id) => lockedAccounts.isLocked(id))) throw new AccountLocked();
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
    } else result = await lockedAccounts.runInTurn(payer, (lockMs) => attempt(lockMs, false), parts.timeoutMs);
  }
  if (accepted.length > 0) {
    if (plan.faultPoint) await parts.hit(plan.faultPoint);
    parts.onAccepted(accepted);
  }
  return result;
}
