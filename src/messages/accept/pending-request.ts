import type { AccountLocations } from '../../accounts/account-locations.js';
import type { OwnedLimit, Watch } from '../../accounts/guard/guard.js';
import type { AppError } from '../../platform/errors/app-error.js';
import type { SendRequest } from '../compose/send-request.js';

/** Message IDs are assigned before the first attempt, so that a repeated commit is detected. */
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
  /** Null, for one recipient or for all, means the request's carrier. */
  carriers: readonly (string | null)[] | null;
  charge: bigint;
  storedBytes: number;
  limits: readonly OwnedLimit[];
  watch: Watch | null;
}

/** `conflict`: the idempotency key is already used. `unfunded`: the account could not pay for the batch. */
export type CommitOutcome = 'accepted' | 'conflict' | 'unfunded' | AppError;

export interface CommitContext {
  now: Date;
  locations: AccountLocations;
  /** Lock timeout per account. Null if the transaction has locked it already. */
  lockMs?: number | null;
}
