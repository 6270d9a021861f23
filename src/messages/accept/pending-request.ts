import type { OwnedLimit, Watch } from '../../accounts/guard/guard.js';
import type { AccountPlaces } from '../../accounts/places.js';
import type { AppError } from '../../platform/errors/app-error.js';
import type { SendRequest } from '../compose/send-request.js';

/** A priced request on its way into a commit. Its ids are made before the first try, so that a repeated try is seen. */
export interface PendingRequest {
  request: SendRequest;
  acceptedAt: Date;
  validUntil: Date;
  /** SMS parts of each message; 1 for WhatsApp. */
  parts: number;
  /** One per recipient, rising. */
  ids: readonly string[];
  /** Millionths of the currency unit, one per recipient. */
  prices: readonly bigint[];
  /** The carrier of each recipient, null for the request's own; null where all have that. */
  carriers: readonly (string | null)[] | null;
  /** Sum of the prices. */
  charge: bigint;
  /** Bytes of text and content, over all recipients. */
  storedBytes: number;
  /** That it must keep to; nearly always none. */
  limits: readonly OwnedLimit[];
  /** How its account is watched; nearly always null. */
  watch: Watch | null;
}

/**
 * What became of a request in a commit: `conflict` means that its idempotency key is taken, `unfunded` that the account
 * could not pay for all its requests of the batch together. An error is why the guard of the account refused it.
 */
export type CommitOutcome = 'accepted' | 'conflict' | 'unfunded' | AppError;

/** What the statements of a commit need beside the requests. */
export interface CommitContext {
  /** The time of the balance change. */
  now: Date;
  /** Of this process; only a batch of one account uses it. */
  places: AccountPlaces;
  /** How long to wait for the row of an account; null where the transaction has locked it. */
  lockMs?: number | null;
}
