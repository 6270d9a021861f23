import type { AccountLocations } from '../../accounts/account-locations.js';
import type { OwnedLimit, Watch } from '../../accounts/guard/guard.js';
import type { AppError } from '../../platform/errors/app-error.js';
import type { SendRequest } from '../compose/send-request.js';

/**
 * A priced request, ready to commit. Message IDs are assigned before the first attempt, so that a repeated commit is
 * detected.
 */
export interface PendingRequest {
  request: SendRequest;
  acceptedAt: Date;
  validUntil: Date;
  /** SMS parts per message; 1 for WhatsApp. */
  parts: number;
  /** One per recipient, ascending. */
  ids: readonly string[];
  /** One per recipient, in millionths of the currency unit. */
  prices: readonly bigint[];
  /** The carrier of each recipient; null for the request's carrier. Null if that applies to all. */
  carriers: readonly (string | null)[] | null;
  /** Sum of the prices. */
  charge: bigint;
  /** Bytes of text and content for all recipients together. */
  storedBytes: number;
  /** Spending limits that apply; usually none. */
  limits: readonly OwnedLimit[];
  /** Fraud monitoring of the account; usually null. */
  watch: Watch | null;
}

/**
 * Result of committing a request. `conflict`: its idempotency key is already used. `unfunded`: the account could not
 * pay for all of its requests in the batch. An error: the account's guard refused the request.
 */
export type CommitOutcome = 'accepted' | 'conflict' | 'unfunded' | AppError;

export interface CommitContext {
  /** Time of the balance change. */
  now: Date;
  /** Cached row locations of this process; used only for batches of one account. */
  locations: AccountLocations;
  /** How long to wait for an account's row. Null if the transaction has locked it already. */
  lockMs?: number | null;
}
