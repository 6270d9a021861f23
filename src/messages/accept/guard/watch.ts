import type pg from 'pg';
import type { OwnedLimit } from '../../../accounts/guard/guard.js';
import { callingCodeOf } from '../../../carriers/numbers/phone-numbers.js';
import { ShortCache } from '../../../platform/short-cache.js';
import type { PendingRequest } from '../pending-request.js';
import { countByCountry, countCodes, findHolds } from './hold-store.js';
import { type Holds, heldFrom, SendingHeld, watchedNumbers } from './holds.js';

/** A block is what numbers have in common without their last digits: carriers are given 10,000 numbers together. */
export const BLOCK_DIGITS = 4;
/** Of so many numbers of a block some must have checked their codes. */
export const UNCHECKED_CODES = 10;
/** Minutes that are looked back on. */
export const LOOK_BACK_MINUTES = 15;
/** Of the codes of a block at least this share is checked, where people asked for them. */
const CHECKED_SHARE = 0.1;
/** So many messages an hour may go to any country. */
export const COUNTRY_FLOOR = 100;
/** And so many times as many as in a mean hour of the last seven days. */
export const COUNTRY_TIMES = 5;

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
/** For how long a process goes on with a mean. */
const MEANS_LIFETIME_MS = 60_000;

/** Messages of accounts over the last seven days, by calling code. */
export class CountryMeans {
  readonly #known = new ShortCache<ReadonlyMap<string, number>>({ lifetimeMs: MEANS_LIFETIME_MS });

  of(client: pg.PoolClient, accountId: string, now: Date): Promise<ReadonlyMap<string, number>> {
    return this.#known.get(accountId, () => {
      const to = new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS);
      return countByCountry(client, accountId, new Date(to.getTime() - WEEK_HOURS * HOUR_MS), to);
    });
  }
}

/** What is known of some sends by their watch: why some are refused, and the limits by country of the others. */
export interface Watched {
  refused: ReadonlyMap<PendingRequest, SendingHeld>;
  limits: ReadonlyMap<PendingRequest, readonly OwnedLimit[]>;
}

const NOTHING: Watched = { refused: new Map(), limits: new Map() };

/** Looks at the sends of accounts that are watched. Their accounts are to be locked. */
export async function lookAt(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  means: CountryMeans,
  now: Date,
): Promise<Watched> {
  const watched = batch.filter(({ watch }) => watch);
  if (watched.length === 0) return NOTHING;
  const holds = await findHolds(client, watched, now);
  const refused = new Map<PendingRequest, SendingHeld>();
  const limits = new Map<PendingRequest, readonly OwnedLimit[]>();
  for (const pending of watched) {
    const refusal = heldBefore(pending, holds, now) ?? (await heldForCodes(client, pending, holds, now));
    if (refusal) refused.set(pending, refusal);
    else limits.set(pending, await countryLimits(client, pending, { holds, means, now }));
  }
  return { refused, limits };
}

function heldBefore(pending: PendingRequest, holds: Holds, now: Date): SendingHeld | null {
  for (const digits of watchedNumbers(pending)) {
    const hold = holds.over(pending.request.account.id, digits);
    if (hold) return new SendingHeld(hold, now, null);
  }
  return null;
}

/** Codes go to one number. The one that is asked for counts. */
async function heldForCodes(
  client: pg.PoolClient,
  pending: PendingRequest,
  holds: Holds,
  now: Date,
): Promise<SendingHeld | null> {
  const { request, watch } = pending;
  const accountId = request.account.id;
  const [digits] = watchedNumbers(pending);
  if (!watch || request.verificationId === undefined || digits === undefined) return null;
  const block = digits.slice(0, -BLOCK_DIGITS);
  if (holds.isReleased(accountId, digits)) return null;
  const since = new Date(now.getTime() - LOOK_BACK_MINUTES * 60_000);
  const { asked, approved } = await countCodes(client, accountId, block, since);
  if (asked <= UNCHECKED_CODES || approved >= asked * CHECKED_SHARE) return null;
  return heldFrom({ accountId, prefix: block, reason: 'codes', messages: asked - 1, minutes: watch.holdMinutes }, now);
}

/** What a campaign sends was decided by people, at once and for many: it is not looked at by country. */
async function countryLimits(
  client: pg.PoolClient,
  pending: PendingRequest,
  { holds, means, now }: { holds: Holds; means: CountryMeans; now: Date },
): Promise<OwnedLimit[]> {
  const { request } = pending;
  if (request.campaignId !== undefined) return [];
  const accountId = request.account.id;
  const numbers = watchedNumbers(pending).filter((digits) => !holds.isReleased(accountId, digits));
  const codes = new Set(numbers.map((digits) => callingCodeOf(digits) ?? ''));
  const mean = await means.of(client, accountId, now);
  return [...codes].map((code) => ({
    keyId: null,
    scope: 'country',
    country: code,
    measure: 'messages',
    span: 'hour',
    most: String(Math.max(COUNTRY_FLOOR, Math.ceil(((mean.get(code) ?? 0) / WEEK_HOURS) * COUNTRY_TIMES))),
  }));
}
