import type pg from 'pg';
import type { OwnedLimit } from '../../../accounts/guard/guard.js';
import { findCallingCode } from '../../../carriers/numbers/phone-numbers.js';
import { ShortCache } from '../../../platform/short-cache.js';
import type { PendingRequest } from '../pending-request.js';
import { countByCountry, countCodes, findHolds } from './hold-store.js';
import { createHoldRefusal, type Holds, listWatchedNumbers, SendingHeld } from './holds.js';

/**
 * Number of last digits that vary within a block of 10,000 numbers, the unit in which numbers are assigned to phone companies.
 */
export const BLOCK_DIGITS = 4;
export const MIN_REQUESTED_CODES = 10;
export const LOOK_BACK_MINUTES = 15;
const MIN_APPROVED_SHARE = 0.1;
export const COUNTRY_FLOOR = 100;
/** Hourly limit for a country, as a multiple of its hourly mean over the last seven days. */
export const COUNTRY_MULTIPLE = 5;

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
const CACHE_LIFETIME_MS = 60_000;

/** Caches how many messages accounts sent in the last seven days, by calling code. */
export class WeeklyCounts {
  readonly #cache = new ShortCache<ReadonlyMap<string, number>>({ lifetimeMs: CACHE_LIFETIME_MS });

  read(client: pg.PoolClient, accountId: string, now: Date): Promise<ReadonlyMap<string, number>> {
    return this.#cache.get(accountId, () => {
      const to = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
      return countByCountry(client, accountId, new Date(to.getTime() - WEEK_HOURS * HOUR_MS), to);
    });
  }
}

export interface WatchResult {
  refused: ReadonlyMap<PendingRequest, SendingHeld>;
  limits: ReadonlyMap<PendingRequest, readonly OwnedLimit[]>;
}

const NO_RESULT: WatchResult = { refused: new Map(), limits: new Map() };

/** The caller must have locked the accounts. */
export async function checkWatched(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  weeklyCounts: WeeklyCounts,
  now: Date,
): Promise<WatchResult> {
  const watched = batch.filter(({ watch }) => watch);
  if (watched.length === 0) return NO_RESULT;
  const holds = await findHolds(client, watched, now);
  const refused = new Map<PendingRequest, SendingHeld>();
  const limits = new Map<PendingRequest, readonly OwnedLimit[]>();
  for (const pending of watched) {
    const refusal = findActiveHold(pending, holds, now) ?? (await detectCodePumping(client, pending, holds, now));
    if (refusal) refused.set(pending, refusal);
    else limits.set(pending, await buildCountryLimits(client, pending, { holds, weeklyCounts, now }));
  }
  return { refused, limits };
}

function findActiveHold(pending: PendingRequest, holds: Holds, now: Date): SendingHeld | null {
  for (const digits of listWatchedNumbers(pending)) {
    const hold = holds.findActive(pending.request.account.id, digits);
    if (hold) return new SendingHeld(hold, now, null);
  }
  return null;
}

/** Includes the sign-in codes of the current request in the counts. */
async function detectCodePumping(
  client: pg.PoolClient,
  pending: PendingRequest,
  holds: Holds,
  now: Date,
): Promise<SendingHeld | null> {
  const { request, watch } = pending;
  const accountId = request.account.id;
  const [digits] = listWatchedNumbers(pending);
  if (!watch || request.verificationId === undefined || digits === undefined) return null;
  const block = digits.slice(0, -BLOCK_DIGITS);
  if (holds.isReleased(accountId, digits)) return null;
  const since = new Date(now.getTime() - LOOK_BACK_MINUTES * 60_000);
  const { asked, approved } = await countCodes(client, accountId, block, since);
  if (asked <= MIN_REQUESTED_CODES || approved >= asked * MIN_APPROVED_SHARE) return null;
  return createHoldRefusal(
    { accountId, prefix: block, reason: 'codes', messages: asked - 1, minutes: watch.holdMinutes },
    now,
  );
}

/** Campaigns are exempt from country limits, because a person has decided to send that many messages. */
async function buildCountryLimits(
  client: pg.PoolClient,
  pending: PendingRequest,
  { holds, weeklyCounts, now }: { holds: Holds; weeklyCounts: WeeklyCounts; now: Date },
): Promise<OwnedLimit[]> {
  const { request } = pending;
  if (request.campaignId !== undefined) return [];
  const accountId = request.account.id;
  const numbers = listWatchedNumbers(pending).filter((digits) => !holds.isReleased(accountId, digits));
  const codes = new Set(numbers.map((digits) => findCallingCode(digits) ?? ''));
  const messagesByCode = await weeklyCounts.read(client, accountId, now);
  return [...codes].map((code) => ({
    keyId: null,
    scope: 'country',
    country: code,
    measure: 'messages',
    span: 'hour',
    most: String(Math.max(COUNTRY_FLOOR, Math.ceil(((messagesByCode.get(code) ?? 0) / WEEK_HOURS) * COUNTRY_MULTIPLE))),
  }));
}
