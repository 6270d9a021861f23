import type { FastifyRequest } from 'fastify';
import type { SendOrigin } from '../../messages/compose/send-request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of its span, as in W3C Trace Context; null where it is not traced. */
    traceparent: string | null;
  }
}

/** What the messages of a request that sends keep of it. */
export function originOf({ id, traceparent }: FastifyRequest): SendOrigin {
  return { requestId: id, traceparent };
}
