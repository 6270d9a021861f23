import type { AccountLocations } from '../../accounts/account-locations.js';
import type { FrequencyCap } from '../../accounts/frequency-cap.js';
import type { OwnedLimit, Watch } from '../../accounts/guard/guard.js';
import type { AppError } from '../../platform/errors/app-error.js';
import type { SendRequest } from '../compose/send-request.js';

/** A request has its message IDs before the first attempt to commit it, so that a repeated commit is detected. */
export interface PendingRequest {
  request: SendRequest;
  acceptedAt: Date;
  validUntil: Date;
  /** Always 1 for WhatsApp. */
  parts: number;
  /** Message IDs, one per recipient, in ascending order. */
  ids: readonly string[];
  /** Prices, one per recipient, in millionths of the currency unit. */
  prices: readonly bigint[];
  /** Carriers, one per recipient, where null means the request's carrier. */
  carriers: readonly (string | null)[] | null;
  charge: bigint;
  storedBytes: number;
  limits: readonly OwnedLimit[];
  watch: Watch | null;
  /** Null for messages that are not marketing. */
  frequencyCap: FrequencyCap | null;
}

/** `conflict` means that the idempotency key is already used, and `unfunded` that the account could not pay for the batch. */
export type CommitOutcome = 'accepted' | 'conflict' | 'unfunded' | AppError;

export interface CommitContext {
  now: Date;
  locations: AccountLocations;
  /** Lock timeout per account, or null if the transaction has already locked the account. */
  lockMs?: number | null;
}
