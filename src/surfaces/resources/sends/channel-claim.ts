import type { FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../../messages/compose/send-request.js';
import { idempotencyClaim } from '../../http/idempotency-key.js';
import '../callers/channel-caller.js';

/**
 * The claim of a request with an `Idempotency-Key`, null without one. Keys are the account's; with the channel in
 * front, those of one channel mean nothing on another. The target holds the ids of the path, which are part of what
 * the request asks for.
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function channelClaim(request: FastifyRequest): IdempotencyKey | null {
  const claim = idempotencyClaim(request, `${request.method} ${request.url.split('?', 1)[0]}`);
  return claim && { ...claim, key: `${request.caller.channel.id} ${claim.key}` };
}
