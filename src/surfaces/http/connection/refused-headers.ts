import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { TransportError } from '../errors.js';

/** Header fields of a request. Proxies add a dozen. */
const MAX_HEADERS = 200;

/**
 * Refuses requests whose headers say what is not done here. Node.js by itself would pass over the headers beyond a
 * number, an `Authorization` among them, and hand over a body that is still in its other transfer codings.
 */
export const refusedHeaders = plugin(
  async (app: FastifyInstance) => {
    // All that the longest headers may hold are read, so that none is missing without a word.
    app.server.maxHeadersCount = 0;
    app.addHook('onRequest', ({ raw }, reply, done) => {
      const problem = problemOf(raw.rawHeaders.length / 2, raw.headers['transfer-encoding']);
      // What follows of such a request cannot be told from the next one.
      if (problem) reply.header('connection', 'close');
      done(problem);
    });
  },
  { name: 'refused-headers' },
);

function problemOf(count: number, coding: string | undefined): TransportError | undefined {
  if (count > MAX_HEADERS) return new TransportError(431, `The request has more than ${MAX_HEADERS} headers.`);
  if (coding !== undefined && !/^\s*chunked\s*$/i.test(coding)) {
    return new TransportError(501, 'The only Transfer-Encoding that is understood is chunked.');
  }
  return undefined;
}
