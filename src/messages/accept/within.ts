import type pg from 'pg';
import type { ChangeInHand } from '../../accounts/audit/change.js';
import { AccountLocked, type HeldAccounts, SHARED_LOCK_MS } from '../../accounts/held-accounts.js';
import { lockAccounts } from '../../accounts/ledger-store.js';
import { inTransaction } from '../../platform/store/connections/pool.js';
import type { SendRequest } from '../compose/send-request.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';

/** A transaction that accepts sends, with whatever else it does. Its payers are locked. */
export interface AcceptingTransaction {
  readonly client: pg.PoolClient;
  /**
   * Prices a send and makes its ids, on the connection of the transaction.
   * @throws {AppError} INVALID_REQUEST for more text than a message or a commit can hold
   */
  prepare(request: SendRequest): Promise<PendingRequest>;
  /**
   * Debits and writes prepared sends of payers. Those that were accepted are told to the queue after the commit; what of
   * the others is rolled back or written down is the caller's to say.
   */
  commit(batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]>;
  /** The recipients of prepared sends who are at a limit of their own: with them a send would be refused as a whole. */
  atLimit(batch: readonly PendingRequest[]): Promise<ReadonlySet<string>>;
}

/** What a transaction that accepts sends locks first, in the order of docs/architecture.md. */
export interface AcceptingPlan<T> {
  /** Takes what one worker alone takes: that is locked before accounts. */
  take?(client: pg.PoolClient): Promise<T>;
  /**
   * The accounts that pay: every acceptance locks its own before anything else that others lock. Empty where nothing will be
   * sent after all.
   */
  payers(taken: T): readonly string[];
  /**
   * Whether no caller waits for the result. While another session has locked the account of a payer, the transaction then fails
   * with `AccountLocked` and is repeated later. Otherwise it waits for the account's turn.
   */
  isBackground?: boolean;
  /** The fault point between the commit and telling the queue, passed where something was accepted. */
  faultPoint?: string;
}

/** A pool, or a change that is being made: its commit is then that of the sends. */
export type AcceptingHost = pg.Pool | Pick<ChangeInHand, 'client' | 'afterCommit'>;

export interface WithinParts {
  held: HeldAccounts;
  /** How long a transaction may wait for an account that somebody else holds. */
  timeoutMs: number;
  prepare(request: SendRequest, client: pg.PoolClient): Promise<PendingRequest>;
  commit(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<readonly CommitOutcome[]>;
  atLimit(client: pg.PoolClient, batch: readonly PendingRequest[]): Promise<ReadonlySet<string>>;
  hit(faultPoint: string): Promise<void> | void;
  /** Told of what was accepted, once that is committed. */
  tell(accepted: readonly PendingRequest[]): void;
}

/** As `Acceptor.within`, of its parts. */
export async function acceptWithin<T, R>(
  parts: WithinParts,
  host: AcceptingHost,
  plan: AcceptingPlan<T>,
  work: (transaction: AcceptingTransaction, taken: T) => Promise<R>,
): Promise<R> {
  const { held } = parts;
  let accepted: PendingRequest[] = [];
  let payers: string[] = [];
  const run = async (client: pg.PoolClient, lock: (payers: readonly string[]) => Promise<void>): Promise<R> => {
    accepted = [];
    const taken = (await plan.take?.(client)) as T;
    payers = [...new Set(plan.payers(taken))];
    if (payers.length > 0) await lock(payers);
    const transaction: AcceptingTransaction = {
      client,
      prepare: (request) => parts.prepare(request, client),
      atLimit: (batch) => parts.atLimit(client, batch),
      commit: async (batch) => {
        const stranger = batch.find(({ request }) => !payers.includes(request.account.id));
        if (stranger) throw new Error(`account ${stranger.request.account.id} is to pay, but is not locked as a payer`);
        const outcomes = batch.length > 0 ? await parts.commit(client, batch) : [];
        accepted.push(...batch.filter((_, index) => outcomes[index] === 'accepted'));
        return outcomes;
      },
    };
    return work(transaction, taken);
  };
  if ('afterCommit' in host) {
    const result = await run(host.client, (ids) => lockAccounts(host.client, ids));
    if (accepted.length > 0) host.afterCommit(() => parts.tell(accepted));
    return result;
  }
  const attempt = (lockMs: number, isShared: boolean) =>
    inTransaction(host, (client) =>
      run(client, async (ids) => {
        if (isShared && ids.some((id) => held.isHeld(id))) throw new AccountLocked();
        await lockAccounts(client, ids, lockMs);
      }),
    );
  let result: R;
  try {
    result = await attempt(SHARED_LOCK_MS, true);
  } catch (error) {
    if (!(error instanceof AccountLocked)) throw error;
    const [payer, ...others] = payers as [string];
    if (plan.isBackground || others.length > 0) {
      const locked = await held.find(payers);
      if (locked.size > 0) throw error;
      result = await attempt(SHARED_LOCK_MS, true);
    } else result = await held.inTurn(payer, (lockMs) => attempt(lockMs, false), parts.timeoutMs);
  }
  if (accepted.length > 0) {
    if (plan.faultPoint) await parts.hit(plan.faultPoint);
    parts.tell(accepted);
  }
  return result;
}
