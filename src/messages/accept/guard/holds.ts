import type { Watch } from '../../../accounts/guard/guard.js';
import { isPhoneNumber } from '../../../carriers/numbers/phone-numbers.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { PendingRequest } from '../pending-request.js';

/**
 * Why numbers are held: sign-in codes are not being checked, messages are failing, or messages to a country have increased
 * sharply.
 */
export type HoldReason = 'codes' | 'receipts' | 'country';

export interface HoldRow {
  accountId: string;
  prefix: string;
  reason: HoldReason;
  until: Date;
  isReleased: boolean;
}

export interface NewHold {
  accountId: string;
  /** First digits of the held numbers. */
  prefix: string;
  reason: HoldReason;
  messages: number;
  minutes: number;
}

export class SendingHeld extends AppError {
  /** Hold to record after the transaction, or null if the hold has already been recorded. */
  readonly newHold: NewHold | null;

  constructor(
    { prefix, reason, until }: Pick<HoldRow, 'prefix' | 'reason' | 'until'>,
    now: Date,
    newHold: NewHold | null,
  ) {
    const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
    super(
      'SENDING_HELD',
      `Messages to +${prefix} are held until ${until.toISOString()}, because ${REASON_TEXTS[reason]}. An operator can release them.`,
      [{ field: 'to', rule: `is held, because ${REASON_TEXTS[reason]}` }],
      { retryAfterSeconds: seconds },
    );
    this.newHold = newHold;
  }
}

const REASON_TEXTS: Readonly<Record<HoldReason, string>> = {
  codes: 'sign-in codes are requested there but not checked',
  receipts: 'messages to these numbers fail',
  country: 'far more messages are sent to this country than usual',
};

export function createHoldRefusal(hold: NewHold, now: Date): SendingHeld {
  const until = new Date(now.getTime() + hold.minutes * 60_000);
  return new SendingHeld({ ...hold, until }, now, hold);
}

export function listWatchedNumbers({ request, watch }: PendingRequest): string[] {
  return request.recipients.map(({ digits }) => digits).filter((digits) => isWatched(watch, digits));
}

/** Returns false for short codes, names and WhatsApp user IDs, because they belong to no number range. */
export function isWatched(watch: Watch | null, address: string): boolean {
  return isPhoneNumber(address, 'calling-code') && mayBeHeld(watch, address);
}

export function mayBeHeld(watch: Watch | null, digits: string): boolean {
  return watch !== null && digits !== '' && !watch.safe.some((prefix) => digits.startsWith(prefix.slice(1)));
}

export class Holds {
  readonly #rows: readonly HoldRow[];

  constructor(rows: readonly HoldRow[]) {
    // Holds with an empty prefix are ignored, because they would stop everything that the account sends.
    this.#rows = rows.filter(({ prefix }) => prefix !== '');
  }

  /** Returns null if the number is not held or has been released. */
  findActive(accountId: string, digits: string): HoldRow | null {
    const rows = this.#rows.filter((row) => row.accountId === accountId && digits.startsWith(row.prefix));
    return rows.some(({ isReleased }) => isReleased) ? null : (rows[0] ?? null);
  }

  isReleased(accountId: string, digits: string): boolean {
    return this.#rows.some((row) => row.isReleased && row.accountId === accountId && digits.startsWith(row.prefix));
  }
}
