import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { Logger } from 'pino';

declare module 'fastify' {
  interface FastifyRequest {
    accepted: readonly { id: string }[] | null;
  }
}

/** Maximum number of message IDs per log line. */
const MAX_LOGGED_IDS = 100;

/** Logs requests at level debug, and costs nothing at higher levels. Paths may contain IDs, but bodies are never logged. */
export const requestLog = plugin(
  async (app: FastifyInstance, { log }: { log: Logger }) => {
    app.decorateRequest('accepted', null);
    if (!log.isLevelEnabled('debug')) return;
    app.addHook('onResponse', (request, reply, done) => {
      const { id: requestId, method, routeOptions, accepted } = request;
      const messageIds = accepted?.slice(0, MAX_LOGGED_IDS).map(({ id }) => id);
      const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
      const { statusCode: status } = reply;
      log.debug({ requestId, method, route: routeOptions.url, status, milliseconds, messageIds }, 'answered');
      done();
    });
  },
  { name: 'request-log' },
);
