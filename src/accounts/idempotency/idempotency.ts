import { AppError } from '../../platform/errors/app-error.js';

export interface IdempotencyKey {
  key: string;
  /** Such as `POST /v2/send`. */
  route: string;
  /** SHA-256 of the parsed body. Bodies that differ only in field order or omitted defaults have the same hash. */
  bodyHash: Buffer;
  /** Hashes that earlier versions of Heliograph would have computed for the same request body. */
  formerHashes?(): Buffer[];
}

export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Idempotency keys created at or before the returned time have expired. */
export function getIdempotencyCutoff(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_LIFETIME_MS);
}

/** @throws {AppError} IDEMPOTENCY_MISMATCH */
export function requireSameRequest(
  original: Pick<IdempotencyKey, 'route' | 'bodyHash'>,
  repetition: Omit<IdempotencyKey, 'key'>,
): void {
  if (original.route !== repetition.route) throw createMismatchError(`for another operation, ${original.route}`);
  const { bodyHash, formerHashes } = repetition;
  if (original.bodyHash.equals(bodyHash) || formerHashes?.().some((hash) => original.bodyHash.equals(hash))) return;
  throw createMismatchError('for a request with another body');
}

function createMismatchError(previousUse: string): AppError {
  return new AppError('IDEMPOTENCY_MISMATCH', `Idempotency-Key was already used ${previousUse}.`, [
    { field: 'Idempotency-Key', rule: `must not be reused: it was already used ${previousUse}` },
  ]);
}

/** The first response to an idempotency key cannot be rebuilt after its messages have been deleted. */
export function createDeletedResultError(): AppError {
  return new AppError('CONFLICT', 'Idempotency-Key was already used, and messages that it made were deleted.', [
    { field: 'Idempotency-Key', rule: 'must not be reused: what it made was deleted' },
  ]);
}
