import { AppError } from '../../platform/errors/app-error.js';

/** The header `Idempotency-Key` of a request, with what identifies a repetition of the same request. */
export interface IdempotencyKey {
  key: string;
  /** Method and route pattern, such as `POST /v2/send`. */
  route: string;
  /** SHA-256 of the parsed body. Neither the order of fields nor omitted defaults change it. */
  bodyHash: Buffer;
  /** Hashes as earlier versions computed them, so that their keys still match: with defaults, and in the original field order. */
  formerHashes?(): Buffer[];
}

/** How long a repeated request gets the first response. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Keys created at or before this time have expired. */
export function idempotencyExpiry(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_LIFETIME_MS);
}

/** @throws {AppError} IDEMPOTENCY_MISMATCH when a key is reused with another route or body; the message names which */
export function requireSameRequest(
  first: Pick<IdempotencyKey, 'route' | 'bodyHash'>,
  repetition: Omit<IdempotencyKey, 'key'>,
): void {
  if (first.route !== repetition.route) throw mismatch(`for another operation, ${first.route}`);
  const { bodyHash, formerHashes } = repetition;
  if (first.bodyHash.equals(bodyHash) || formerHashes?.().some((each) => first.bodyHash.equals(each))) return;
  throw mismatch('for a request with another body');
}

function mismatch(previousUse: string): AppError {
  return new AppError('IDEMPOTENCY_MISMATCH', `Idempotency-Key was already used ${previousUse}.`, [
    { field: 'Idempotency-Key', rule: `must not be reused: it was already used ${previousUse}` },
  ]);
}

/** The error for a key that is still stored while messages it created were deleted: the first response cannot be rebuilt. */
export function resultWasDeleted(): AppError {
  return new AppError('CONFLICT', 'Idempotency-Key was already used, and messages that it made were deleted.', [
    { field: 'Idempotency-Key', rule: 'must not be reused: what it made was deleted' },
  ]);
}
