import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import type { UsageLog } from '../../../features/usage/usage-log.js';
import type { Clock } from '../../../platform/clock.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Arrival time of a request on behalf of a channel, by the business clock. */
    arrivedAt: Date;
    /** By `performance.now()`. */
    arrivalTick: number;
  }
}

/** The plugin must be registered before authentication, because refused requests count as usage too. */
export const countUsage = plugin(
  async (app: FastifyInstance, { usage, clock }: { usage: Pick<UsageLog, 'record'>; clock: Clock }) => {
    app.decorateRequest('arrivedAt', null as unknown as Date);
    app.decorateRequest('arrivalTick', 0);
    app.addHook('onRequest', (request, _reply, done) => {
      request.arrivedAt = clock.now();
      request.arrivalTick = performance.now();
      done();
    });
    // The hook is not onResponse, because onResponse never fires if the client disconnects first.
    app.addHook('onSend', (request, reply, payload, done) => {
      if (request.caller) {
        usage.record({
          channelId: request.caller.channel.id,
          endpoint: request.url.split('?', 1)[0] as string,
          method: request.method,
          statusCode: reply.statusCode,
          responseTime: Math.round((performance.now() - request.arrivalTick) * 1000) / 1000,
          createdAt: request.arrivedAt,
        });
      }
      done(null, payload);
    });
  },
  { name: 'count-usage' },
);
