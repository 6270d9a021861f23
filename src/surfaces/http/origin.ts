import type { FastifyRequest } from 'fastify';
import type { SendOrigin } from '../../messages/compose/send-request.js';

/** What the messages of a request that sends keep of it. */
export function originOf({ id }: FastifyRequest): SendOrigin {
  return { requestId: id };
}
