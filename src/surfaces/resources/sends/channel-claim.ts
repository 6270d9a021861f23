import type { FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { claimOfPath } from '../../http/idempotency-key.js';
import '../callers/channel-caller.js';

/**
 * The claim of a request with an `Idempotency-Key`, null without one. Keys are the account's; with the channel in
 * front, those of one channel mean nothing on another.
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function channelClaim(request: FastifyRequest): IdempotencyKey | null {
  return claimOfPath(request, request.caller.channel.id);
}
