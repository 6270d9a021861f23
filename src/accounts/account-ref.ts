import type { Guarded } from './guard/guard.js';

/** The account of a key, with what an operator has set of it. */
export interface KeyAccount extends AccountRef {
  /** It is not switched off. */
  isActive: boolean;
  /** Sender IDs that its SMS may have; none: any. */
  senderIds: readonly string[];
  /** ISO 3166 code of the country by whose numbering plan Surface A reads recipients; null: they are written with country code. */
  defaultCountry: string | null;
}

/** What a look-up of a key reads of its account. */
export const KEY_ACCOUNT = {
  id: true,
  currency: true,
  rateCardId: true,
  isActive: true,
  senderIds: true,
  defaultCountry: true,
  spendGuard: true,
} as const;

/** The account on whose behalf a request is made, as authentication found it. */
export interface AccountRef extends Guarded {
  id: string;
  currency: string;
  rateCardId: string;
}
