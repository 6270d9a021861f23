import type { FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../messages/compose/send-request.js';
import { idempotencyClaim } from '../http/idempotency-key.js';

/**
 * By what a repetition of a request of the console is known, whose first answer was lost; null where it says nothing.
 * @param of what the key is for, so that it means nothing to what others send
 */
export function consoleClaim(request: FastifyRequest, of: string): IdempotencyKey | null {
  // By the path as it was asked for: the same body means another thing of another automation.
  const claim = idempotencyClaim(request, `${request.method} ${request.url.split('?', 1)[0]}`);
  return claim && { ...claim, key: `${of} ${claim.key}` };
}
