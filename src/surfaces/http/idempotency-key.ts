import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../messages/compose/send-request.js';
import { invalidField } from '../../platform/errors/app-error.js';

/** 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = '^[ -~]{1,255}$';
const PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/**
 * The claim that a request makes with its `Idempotency-Key`; null without one.
 * @param route method and pattern of the endpoint's path, e.g. `POST /v2/send`
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function idempotencyClaim(request: FastifyRequest, route: string): IdempotencyKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !PATTERN.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  }
  return { key, route, bodyHash: hash('sha256', JSON.stringify(request.body), 'buffer') };
}

/** Tells the caller that its request repeats an earlier one. */
export function noteReplay(reply: FastifyReply): void {
  reply.header('idempotent-replayed', 'true');
}
