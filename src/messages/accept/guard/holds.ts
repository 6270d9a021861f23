import type { Watch } from '../../../accounts/guard/guard.js';
import { isPhoneNumber } from '../../../carriers/numbers/phone-numbers.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PendingRequest } from '../pending-request.js';

/**
 * Why numbers are held: `codes` were asked for them and not checked, `receipts` said that messages failed, or messages to the
 * `country` came far faster than they used to.
 */
export type HoldReason = 'codes' | 'receipts' | 'country';

/** Numbers of an account that are held, or were released and are not to be held. */
export interface HoldRow {
  accountId: string;
  prefix: string;
  reason: HoldReason;
  until: Date;
  isReleased: boolean;
}

/** Numbers that are to be held. */
export interface NewHold {
  accountId: string;
  /** With which they begin. */
  prefix: string;
  reason: HoldReason;
  /** How many messages there were for it. */
  messages: number;
  /** Minutes for which they are held. */
  minutes: number;
}

/** The refusal of a send to numbers that are held: nothing of it was accepted or charged. */
export class SendingHeld extends AppError {
  /** To be written down once the transaction is over; null where it was before. */
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

/** Holds numbers from now on. */
export function heldFrom(hold: NewHold, now: Date): SendingHeld {
  const until = new Date(now.getTime() + hold.minutes * 60_000);
  return new SendingHeld({ ...hold, until }, now, hold);
}

/** The recipients of a send that may be held: numbers, but for those that an operator calls safe. */
export function watchedNumbers({ request, watch }: PendingRequest): string[] {
  return request.recipients.map(({ digits }) => digits).filter((digits) => isWatched(watch, digits));
}

/**
 * Whether an address is a number that may be held, and not among those called safe. Short codes, names and user ids of
 * WhatsApp are of no block and no country: held would be whatever there is.
 */
export function isWatched(watch: Watch | null, address: string): boolean {
  return isPhoneNumber(address, 'calling-code') && mayBeHeld(watch, address);
}

/** Whether numbers that begin so may be held. */
export function mayBeHeld(watch: Watch | null, digits: string): boolean {
  return watch !== null && digits !== '' && !watch.safe.some((each) => digits.startsWith(each.slice(1)));
}

/** What an account has held, and what it has released. */
export class Holds {
  readonly #rows: readonly HoldRow[];

  constructor(rows: readonly HoldRow[]) {
    // One without digits would be over all that the account sends.
    this.#rows = rows.filter(({ prefix }) => prefix !== '');
  }

  /** The hold under which a number is; null where it is under none, or under one that was released. */
  over(accountId: string, digits: string): HoldRow | null {
    const rows = this.#rows.filter((row) => row.accountId === accountId && digits.startsWith(row.prefix));
    return rows.some(({ isReleased }) => isReleased) ? null : (rows[0] ?? null);
  }

  /** Whether somebody has released such a number, or more of them, so that nothing is looked for there. */
  isReleased(accountId: string, digits: string): boolean {
    return this.#rows.some((row) => row.isReleased && row.accountId === accountId && digits.startsWith(row.prefix));
  }
}
