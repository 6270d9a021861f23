import type { FastifyRequest } from 'fastify';
import type { SendOrigin } from '../../messages/compose/send-request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** W3C Trace Context of the request's span; null if it is not traced. */
    traceparent: string | null;
  }
}

/** The request data that is stored with the messages it sends. */
export function readOrigin({ id, traceparent }: FastifyRequest): SendOrigin {
  return { requestId: id, traceparent };
}
