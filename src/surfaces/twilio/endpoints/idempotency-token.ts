import type { FastifyRequest } from 'fastify';

const TOKEN_HEADER = 'i-twilio-idempotency-token';

/** Uses Twilio's header as `Idempotency-Key`, unless the request has both headers. */
export function applyTwilioToken({ headers }: FastifyRequest): void {
  headers['idempotency-key'] ??= headers[TOKEN_HEADER] as string | undefined;
}
