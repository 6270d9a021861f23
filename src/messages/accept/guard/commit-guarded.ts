import type pg from 'pg';
import { lockAccounts } from '../../../accounts/ledger-store.js';
import type { AppError } from '../../../platform/errors/app-error.js';
import { findTaken } from '../idempotency/acceptance-store.js';
import type { CommitOutcome, PendingRequest } from '../pending-request.js';
import { findHolds } from './hold-store.js';
import { heldFrom, watchedNumbers } from './holds.js';
import { LimitReached, type Overrun, SpendBook } from './limits.js';
import { addSpent, readSpent } from './spend-store.js';
import { type CountryMeans, lookAt } from './watch.js';

/** Whether any of some requests has limits to keep to, or an account that is watched. */
export const isGuarded = (batch: readonly PendingRequest[]): boolean =>
  batch.some(({ limits, watch }) => limits.length > 0 || watch !== null);

/** What the acceptances of a process know together. */
export interface GuardOptions {
  now: Date;
  means: CountryMeans;
  /** How long to wait for the row of each account, in milliseconds. Null: the transaction has locked them already. */
  lockMs?: number | null;
}

/**
 * Commits those of a batch that keep to their limits and are not held, in a transaction: under the locks of their accounts
 * nobody else counts, so a limit holds exactly, whatever comes at once and in however many processes.
 * @param commit commits those that are let through
 * @throws {AccountLocked} after `lockMs`
 */
export async function commitGuarded(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  { now, means, lockMs = null }: GuardOptions,
  commit: (passed: readonly PendingRequest[]) => Promise<readonly CommitOutcome[]>,
): Promise<CommitOutcome[]> {
  const accounts = [...new Set(batch.map(({ request }) => request.account.id))];
  if (lockMs !== null) await lockAccounts(client, accounts, lockMs);
  // A repetition is answered as it was before: nothing of it is refused or held, and it takes no place of a limit.
  const repetitions = await findTaken(client, batch);
  const fresh = batch.filter((pending) => !repetitions.includes(pending));
  const { refused, limits } = await lookAt(client, fresh, means, now);
  const limited = new Map(
    fresh.map((pending) => [pending, { ...pending, limits: [...pending.limits, ...(limits.get(pending) ?? [])] }]),
  );
  const limitedOf = (pending: PendingRequest) => limited.get(pending) as PendingRequest;
  const known = await bookOf(client, [...limited.values()], now);
  const outcomes = new Map<PendingRequest, CommitOutcome>(refused);
  for (const repetition of repetitions) outcomes.set(repetition, 'conflict');
  const passed: PendingRequest[] = [];
  for (const pending of fresh.filter((each) => !refused.has(each))) {
    const overrun = known.overrun(limitedOf(pending));
    if (overrun) outcomes.set(pending, refusalOf(pending, overrun, known, now));
    else {
      known.add(limitedOf(pending));
      passed.push(pending);
    }
  }
  const committed = passed.length > 0 ? await commit(passed) : [];
  const spent = new SpendBook(now);
  for (const [index, pending] of passed.entries()) {
    const outcome = committed[index] as CommitOutcome;
    outcomes.set(pending, outcome);
    if (outcome === 'accepted') spent.add(limitedOf(pending));
  }
  await addSpent(client, spent.added);
  return batch.map((pending) => outcomes.get(pending) as CommitOutcome);
}

function refusalOf({ request, watch }: PendingRequest, overrun: Overrun, book: SpendBook, now: Date): AppError {
  const { limit, subject: prefix } = overrun;
  if (limit.scope !== 'country' || !watch) return new LimitReached(overrun, request.account.currency, now);
  const messages = Number(book.messagesAt(overrun.key));
  const accountId = request.account.id;
  return heldFrom({ accountId, prefix, reason: 'country', messages, minutes: watch.holdMinutes }, now);
}

/** The recipients of some requests who are held, or at a limit of their own. Their account is to be locked. */
export async function recipientsAtLimit(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const own = batch.flatMap((pending) =>
    pending.limits.filter(({ scope }) => scope === 'recipient').map((limit) => ({ ...pending, limits: [limit] })),
  );
  const book = await bookOf(client, own, now);
  const atLimit = own.flatMap((pending) => book.overrun(pending)?.recipients ?? []);
  return new Set([...atLimit, ...(await heldRecipients(client, batch, now))]);
}

async function heldRecipients(client: pg.PoolClient, batch: readonly PendingRequest[], now: Date): Promise<string[]> {
  const watched = batch.filter(({ watch }) => watch);
  if (watched.length === 0) return [];
  const holds = await findHolds(client, watched, now);
  return watched.flatMap((pending) =>
    watchedNumbers(pending).filter((digits) => holds.over(pending.request.account.id, digits)),
  );
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
