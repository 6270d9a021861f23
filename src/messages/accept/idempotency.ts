import { AppError } from '../../platform/errors/app-error.js';
import type { IdempotencyKey } from '../compose/send-request.js';

/** How long a key repeats its first answer. */
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** The latest `created_at` of a key that counts no longer. */
export function idempotencyExpiry(now: Date): Date {
  return new Date(now.getTime() - IDEMPOTENCY_LIFETIME_MS);
}

/** What makes a repetition the same request. */
export type KeyedRequest = Pick<IdempotencyKey, 'route' | 'bodyHash'>;

/**
 * Checks that a key which was used before comes with the same request again.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when route or body differ
 */
export function requireSameRequest(first: KeyedRequest, repetition: KeyedRequest): void {
  if (first.route === repetition.route && first.bodyHash.equals(repetition.bodyHash)) return;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'Idempotency-Key was already used for a request with another body.', [
    { field: 'Idempotency-Key', rule: 'must not be reused for another request' },
  ]);
}
