import type { FastifyRequest } from 'fastify';
import type { SendOrigin } from '../../messages/compose/send-request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** W3C trace context, or null if the request is not traced. */
    traceparent: string | null;
  }
}

export function readOrigin({ id, traceparent }: FastifyRequest): SendOrigin {
  return { requestId: id, traceparent };
}
