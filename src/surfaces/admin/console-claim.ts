import type { FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../messages/compose/send-request.js';
import { idempotencyClaim } from '../http/idempotency-key.js';

/**
 * By what a repetition of a request of the console is known, whose first answer was lost; null where it says nothing.
 * @param of what the key is for, so that it means nothing to what others send
 */
export function consoleClaim(request: FastifyRequest, of: string): IdempotencyKey | null {
  const claim = idempotencyClaim(request, `${request.method} ${request.routeOptions.url}`);
  return claim && { ...claim, key: `${of} ${claim.key}` };
}
