import type { Guarded } from './guard/guard.js';

/** An account as authentication loads it with a key. */
export interface KeyAccount extends AccountRef {
  isActive: boolean;
  /** Sender IDs that the account's SMS may use. Empty: any. */
  senderIds: readonly string[];
  /**
   * ISO 3166 code of the country whose numbering plan Surface A applies to recipients. Null: recipients need a country
   * code.
   */
  defaultCountry: string | null;
}

/** Columns of the account that a key lookup selects. */
export const KEY_ACCOUNT_COLUMNS = {
  id: true,
  currency: true,
  rateCardId: true,
  isActive: true,
  senderIds: true,
  defaultCountry: true,
  spendGuard: true,
} as const;

/** The account a request acts for. */
export interface AccountRef extends Guarded {
  id: string;
  currency: string;
  rateCardId: string;
}
