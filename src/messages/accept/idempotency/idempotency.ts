import { AppError } from '../../../platform/errors/app-error.js';
import type { IdempotencyKey } from '../../compose/send-request.js';

/** How long a key repeats its first answer. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** The latest `created_at` of a key that counts no longer. */
export function idempotencyExpiry(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_LIFETIME_MS);
}

/**
 * Checks that a key which was used before comes with the same request again.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when route or body differ; it says which
 */
export function requireSameRequest(
  first: Pick<IdempotencyKey, 'route' | 'bodyHash'>,
  repetition: Omit<IdempotencyKey, 'key'>,
): void {
  if (first.route !== repetition.route) throw mismatch(`for another operation, ${first.route}`);
  const { bodyHash, formerHashes } = repetition;
  if (first.bodyHash.equals(bodyHash) || formerHashes?.().some((each) => first.bodyHash.equals(each))) return;
  throw mismatch('for a request with another body');
}

function mismatch(how: string): AppError {
  return new AppError('IDEMPOTENCY_MISMATCH', `Idempotency-Key was already used ${how}.`, [
    { field: 'Idempotency-Key', rule: `must not be reused: it was already used ${how}` },
  ]);
}

/** Of a key that stands, whose messages do not, or not all: there is nothing left to repeat its answer from. */
export function madeWasDeleted(): AppError {
  return new AppError('CONFLICT', 'Idempotency-Key was already used, and messages that it made were deleted.', [
    { field: 'Idempotency-Key', rule: 'must not be reused: what it made was deleted' },
  ]);
}
