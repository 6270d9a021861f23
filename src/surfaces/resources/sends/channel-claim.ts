import type { FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { claimForPath } from '../../http/idempotency-key.js';
import '../callers/channel-caller.js';

/**
 * Prepends the channel ID to the idempotency key, because keys are stored per account.
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function channelClaim(request: FastifyRequest): IdempotencyKey | null {
  return claimForPath(request, request.caller.channel.id);
}
