import type pg from 'pg';
import { lockAccount, lockAccounts } from '../../../accounts/ledger-store.js';
import type { CommitOutcome, PendingRequest } from '../pending-request.js';
import { LimitReached, SpendBook } from './limits.js';
import { addSpent, readSpent } from './spend-store.js';

/** Whether any of some requests has limits to keep to. */
export const hasLimits = (batch: readonly PendingRequest[]): boolean => batch.some(({ limits }) => limits.length > 0);

/**
 * Commits those of a batch that keep to their limits, in a transaction: under the locks of their accounts nobody else counts,
 * so a limit holds exactly, whatever comes at once and in however many processes.
 * @param commit commits those that are let through
 */
export async function commitLimited(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  now: Date,
  commit: (passed: readonly PendingRequest[]) => Promise<readonly CommitOutcome[]>,
): Promise<CommitOutcome[]> {
  const accounts = [...new Set(batch.map(({ request }) => request.account.id))];
  if (accounts.length === 1) await lockAccount(client, accounts[0] as string);
  else await lockAccounts(client, accounts);
  const known = await bookOf(client, batch, now);
  const outcomes = new Map<PendingRequest, CommitOutcome>();
  const passed: PendingRequest[] = [];
  for (const pending of batch) {
    const overrun = known.overrun(pending);
    if (overrun) outcomes.set(pending, new LimitReached(overrun, pending.request.account.currency, now));
    else {
      known.add(pending);
      passed.push(pending);
    }
  }
  const committed = passed.length > 0 ? await commit(passed) : [];
  const spent = new SpendBook(now);
  for (const [index, pending] of passed.entries()) {
    const outcome = committed[index] as CommitOutcome;
    outcomes.set(pending, outcome);
    if (outcome === 'accepted') spent.add(pending);
  }
  await addSpent(client, spent.added);
  return batch.map((pending) => outcomes.get(pending) as CommitOutcome);
}

/** The recipients of some requests who are at a limit of their own. Their account is to be locked. */
export async function recipientsAtLimit(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const own = batch.flatMap((pending) =>
    pending.limits.filter(({ scope }) => scope === 'recipient').map((limit) => ({ ...pending, limits: [limit] })),
  );
  const book = await bookOf(client, own, now);
  return new Set(own.flatMap((pending) => book.overrun(pending)?.recipients ?? []));
}

async function bookOf(client: pg.PoolClient, batch: readonly PendingRequest[], now: Date): Promise<SpendBook> {
  const book = new SpendBook(now);
  const keys = book.keysOf(batch);
  const spent = await readSpent(client, keys);
  for (const [index, key] of keys.entries()) {
    const had = spent[index];
    if (had) book.had(key, had);
  }
  return book;
}
