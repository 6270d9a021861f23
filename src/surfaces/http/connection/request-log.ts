import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { Logger } from 'pino';

/** Logs each answer at the level debug. Below it, no request pays for a log line. The path may hold ids, never bodies. */
export const requestLog = plugin(
  async (app: FastifyInstance, { log }: { log: Logger }) => {
    if (!log.isLevelEnabled('debug')) return;
    app.addHook('onResponse', (request, reply, done) => {
      const { id: requestId, method, routeOptions } = request;
      const milliseconds = Math.round(reply.elapsedTime * 10) / 10;
      log.debug({ requestId, method, route: routeOptions.url, status: reply.statusCode, milliseconds }, 'answered');
      done();
    });
  },
  { name: 'request-log' },
);
