import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { Logger } from 'pino';

declare module 'fastify' {
  interface FastifyRequest {
    /** The messages that this request created. */
    accepted: readonly { id: string }[] | null;
  }
}

/** At most this many message IDs are logged per request. */
const NAMED_MESSAGES = 100;

/**
 * Logs each answer at level debug, with the IDs of the accepted messages, which other log lines use too. At higher levels
 * requests pay nothing for it. Paths may contain IDs; bodies are never logged.
 */
export const requestLog = plugin(
  async (app: FastifyInstance, { log }: { log: Logger }) => {
    app.decorateRequest('accepted', null);
    if (!log.isLevelEnabled('debug')) return;
    app.addHook('onResponse', (request, reply, done) => {
      const { id: requestId, method, routeOptions, accepted } = request;
      const messageIds = accepted?.slice(0, NAMED_MESSAGES).map(({ id }) => id);
      const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
      const { statusCode: status } = reply;
      log.debug({ requestId, method, route: routeOptions.url, status, milliseconds, messageIds }, 'answered');
      done();
    });
  },
  { name: 'request-log' },
);
