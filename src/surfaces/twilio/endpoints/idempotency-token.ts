import type { FastifyRequest } from 'fastify';

/** The header that Twilio's own requests have; ours is `Idempotency-Key`. */
const TOKEN_HEADER = 'i-twilio-idempotency-token';

/** Takes Twilio's header for ours, unless ours is there. */
export function takeToken({ headers }: FastifyRequest): void {
  headers['idempotency-key'] ??= headers[TOKEN_HEADER] as string | undefined;
}
