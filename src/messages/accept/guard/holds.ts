import type { Watch } from '../../../accounts/guard/guard.js';
import { isPhoneNumber } from '../../../carriers/numbers/phone-numbers.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PendingRequest } from '../pending-request.js';

/**
 * Why numbers are held. `codes`: sign-in codes are requested and not checked. `receipts`: messages fail. `country`:
 * messages to the country increased sharply.
 */
export type HoldReason = 'codes' | 'receipts' | 'country';

/** A range of numbers that an account may not message for now, or that an operator released. */
export interface HoldRow {
  accountId: string;
  prefix: string;
  reason: HoldReason;
  until: Date;
  isReleased: boolean;
}

/** A hold to record. */
export interface NewHold {
  accountId: string;
  /** First digits of the held numbers. */
  prefix: string;
  reason: HoldReason;
  /** Number of messages that led to the hold. */
  messages: number;
  /** Duration of the hold. */
  minutes: number;
}

/** Refuses a send to held numbers. Nothing of it was accepted or charged. */
export class SendingHeld extends AppError {
  /** A new hold to record once the transaction is over; null if it is recorded already. */
  readonly fresh: NewHold | null;

  constructor(
    { prefix, reason, until }: Pick<HoldRow, 'prefix' | 'reason' | 'until'>,
    now: Date,
    fresh: NewHold | null,
  ) {
    const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
    super(
      'SENDING_HELD',
      `Messages to +${prefix} are held until ${until.toISOString()}, for ${WHY[reason]}. An operator can release them.`,
      [{ field: 'to', rule: `is held, for ${WHY[reason]}` }],
      { retryAfterSeconds: seconds },
    );
    this.fresh = fresh;
  }
}

const WHY: Readonly<Record<HoldReason, string>> = {
  codes: 'sign-in codes are asked for there and not checked',
  receipts: 'messages there fail',
  country: 'messages to this country come far faster than they used to',
};

/** Creates the refusal that starts a new hold. */
export function createHoldRefusal(hold: NewHold, now: Date): SendingHeld {
  const until = new Date(now.getTime() + hold.minutes * 60_000);
  return new SendingHeld({ ...hold, until }, now, hold);
}

/** The recipients of a send that may be held: phone numbers that the watch does not exempt. */
export function watchedNumbers({ request, watch }: PendingRequest): string[] {
  return request.recipients.map(({ digits }) => digits).filter((digits) => isWatched(watch, digits));
}

/**
 * Whether an address is a phone number that may be held. Short codes, names and WhatsApp user IDs belong to no number
 * range or country, so a hold would cover all of them.
 */
export function isWatched(watch: Watch | null, address: string): boolean {
  return isPhoneNumber(address, 'calling-code') && mayBeHeld(watch, address);
}

/** Whether numbers with these first digits may be held. */
export function mayBeHeld(watch: Watch | null, digits: string): boolean {
  return watch !== null && digits !== '' && !watch.safe.some((each) => digits.startsWith(each.slice(1)));
}

/** The active holds and releases of accounts. */
export class Holds {
  readonly #rows: readonly HoldRow[];

  constructor(rows: readonly HoldRow[]) {
    // An empty prefix would cover everything that the account sends.
    this.#rows = rows.filter(({ prefix }) => prefix !== '');
  }

  /** The hold that covers a number; null if none does, or if it was released. */
  over(accountId: string, digits: string): HoldRow | null {
    const rows = this.#rows.filter((row) => row.accountId === accountId && digits.startsWith(row.prefix));
    return rows.some(({ isReleased }) => isReleased) ? null : (rows[0] ?? null);
  }

  /** Whether an operator released this number or its range, so that it is not monitored. */
  isReleased(accountId: string, digits: string): boolean {
    return this.#rows.some((row) => row.isReleased && row.accountId === accountId && digits.startsWith(row.prefix));
  }
}
