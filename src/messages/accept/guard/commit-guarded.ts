import type pg from 'pg';
import { lockAccounts } from '../../../accounts/ledger-store.js';
import type { AppError } from '../../../platform/errors/app-error.js';
import { findUsedKeys } from '../idempotency/acceptance-store.js';
import type { CommitOutcome, PendingRequest } from '../pending-request.js';
import { CapBook } from './cap-book.js';
import { findHolds } from './hold-store.js';
import { createHoldRefusal, listWatchedNumbers } from './holds.js';
import { LimitReached, type Overrun, SpendBook } from './limits.js';
import { readSpendAmounts, recordSpend } from './spend-store.js';
import { checkWatched, type WeeklyCounts } from './watch.js';

export const isGuarded = (batch: readonly PendingRequest[]): boolean =>
  batch.some(({ limits, watch, frequencyCap }) => limits.length > 0 || watch !== null || frequencyCap !== null);

export interface GuardOptions {
  now: Date;
  weeklyCounts: WeeklyCounts;
  /** Lock timeout per account, or null if the transaction has already locked the accounts. */
  lockMs?: number | null;
}

/**
 * Locks the accounts, so that concurrent requests, also in other processes, cannot use the same remaining limit.
 * @throws {AccountLocked} after `lockMs`
 */
export async function commitGuarded(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  { now, weeklyCounts, lockMs = null }: GuardOptions,
  commit: (allowedRequests: readonly PendingRequest[]) => Promise<readonly CommitOutcome[]>,
): Promise<CommitOutcome[]> {
  const accounts = [...new Set(batch.map(({ request }) => request.account.id))];
  if (lockMs !== null) await lockAccounts(client, accounts, lockMs);
  // A repeated request is neither refused nor counted, because it gets the response to the first request.
  const repetitions = await findUsedKeys(client, batch);
  const newRequests = batch.filter((pending) => !repetitions.includes(pending));
  const { refused, limits } = await checkWatched(client, newRequests, weeklyCounts, now);
  const limited = new Map(
    newRequests.map((pending) => [
      pending,
      { ...pending, limits: [...pending.limits, ...(limits.get(pending) ?? [])] },
    ]),
  );
  const withLimits = (pending: PendingRequest) => limited.get(pending) as PendingRequest;
  const book = await loadBook(client, [...limited.values()], now);
  const capBook = await CapBook.load(client, newRequests);
  const outcomes = new Map<PendingRequest, CommitOutcome>(refused);
  for (const repetition of repetitions) outcomes.set(repetition, 'conflict');
  const allowedRequests: PendingRequest[] = [];
  for (const pending of newRequests.filter((pending) => !refused.has(pending))) {
    const overrun = book.findOverrun(withLimits(pending));
    const refusal = overrun ? createRefusal(pending, overrun, book, now) : capBook.addOrRefuse(pending);
    if (refusal) outcomes.set(pending, refusal);
    else {
      book.add(withLimits(pending));
      allowedRequests.push(pending);
    }
  }
  const committedOutcomes = allowedRequests.length > 0 ? await commit(allowedRequests) : [];
  const acceptedSpend = new SpendBook(now);
  for (const [index, pending] of allowedRequests.entries()) {
    const outcome = committedOutcomes[index] as CommitOutcome;
    outcomes.set(pending, outcome);
    if (outcome === 'accepted') acceptedSpend.add(withLimits(pending));
  }
  await recordSpend(client, acceptedSpend.added);
  return batch.map((pending) => outcomes.get(pending) as CommitOutcome);
}

function createRefusal({ request, watch }: PendingRequest, overrun: Overrun, book: SpendBook, now: Date): AppError {
  const { limit, subject: prefix } = overrun;
  if (limit.scope !== 'country' || !watch) return new LimitReached(overrun, request.account.currency, now);
  const messages = Number(book.countMessages(overrun.key));
  const accountId = request.account.id;
  return createHoldRefusal({ accountId, prefix, reason: 'country', messages, minutes: watch.holdMinutes }, now);
}

/** By address. */
export type RecipientsAtLimit = ReadonlyMap<string, 'guard' | 'cap'>;

/** The caller must have locked the account. */
export async function findRecipientsAtLimit(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  now: Date,
): Promise<RecipientsAtLimit> {
  const recipientLimits = batch.flatMap((pending) =>
    pending.limits.filter(({ scope }) => scope === 'recipient').map((limit) => ({ ...pending, limits: [limit] })),
  );
  const book = await loadBook(client, recipientLimits, now);
  const atLimit = recipientLimits.flatMap((pending) => book.findOverrun(pending)?.recipients ?? []);
  const refused = new Set([...atLimit, ...(await findHeldRecipients(client, batch, now))]);
  const capped = (await CapBook.load(client, batch)).addBelowCap(batch, refused);
  return new Map([
    ...[...refused].map((address) => [address, 'guard'] as const),
    ...capped.map((address) => [address, 'cap'] as const),
  ]);
}

async function findHeldRecipients(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  now: Date,
): Promise<string[]> {
  const watched = batch.filter(({ watch }) => watch);
  if (watched.length === 0) return [];
  const holds = await findHolds(client, watched, now);
  return watched.flatMap((pending) =>
    listWatchedNumbers(pending).filter((digits) => holds.findActive(pending.request.account.id, digits)),
  );
}

async function loadBook(client: pg.PoolClient, batch: readonly PendingRequest[], now: Date): Promise<SpendBook> {
  const book = new SpendBook(now);
  const keys = book.listKeys(batch);
  const spent = await readSpendAmounts(client, keys);
  for (const [index, key] of keys.entries()) {
    const stored = spent[index];
    if (stored) book.setStored(key, stored);
  }
  return book;
}
