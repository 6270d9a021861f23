import type { Guarded } from './guard/guard.js';

export interface KeyAccount extends AccountRef {
  isActive: boolean;
  /** An empty list allows any sender ID. */
  senderIds: readonly string[];
  /** ISO 3166. Without a default country, recipient numbers must include a country code. */
  defaultCountry: string | null;
}

export const KEY_ACCOUNT_COLUMNS = {
  id: true,
  currency: true,
  rateCardId: true,
  isActive: true,
  senderIds: true,
  defaultCountry: true,
  spendGuard: true,
  frequencyCap: true,
} as const;

export interface AccountRef extends Guarded {
  id: string;
  currency: string;
  rateCardId: string;
  /** The column `accounts.frequency_cap`. */
  frequencyCap?: unknown;
}
