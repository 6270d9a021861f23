import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { TransportError } from '../errors.js';

/** Maximum number of headers in a request; proxies add about a dozen. */
const MAX_HEADERS = 200;

/** Refuses too many headers, because Node.js would silently drop some, and encodings that Node.js would not decode. */
export const refusedHeaders = plugin(
  async (app: FastifyInstance) => {
    // No limit.
    app.server.maxHeadersCount = 0;
    app.addHook('onRequest', ({ raw }, reply, done) => {
      const problem = findProblem(raw.rawHeaders.length / 2, raw.headers['transfer-encoding']);
      // The end of the refused request cannot be determined, so no further request can follow on the connection.
      if (problem) reply.header('connection', 'close');
      done(problem);
    });
  },
  { name: 'refused-headers' },
);

function findProblem(count: number, coding: string | undefined): TransportError | undefined {
  if (count > MAX_HEADERS) return new TransportError(431, `The request has more than ${MAX_HEADERS} headers.`);
  if (coding !== undefined && !/^\s*chunked\s*$/i.test(coding)) {
    return new TransportError(501, 'Unsupported Transfer-Encoding: only chunked is supported.');
  }
  return undefined;
}
