import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { Logger } from 'pino';

declare module 'fastify' {
  interface FastifyRequest {
    /** What it had accepted. */
    accepted: readonly { id: string }[] | null;
  }
}

/** Of the messages of one request, so many are named. */
const NAMED_MESSAGES = 100;

/**
 * Logs each answer at the level debug, with the ids of the messages that it accepted: the lines about these name them. Below
 * it, no request pays for a log line. The path may hold ids, never bodies.
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
