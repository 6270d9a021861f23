import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { withTimeout } from '../../platform/timeout.js';

/** Longest time in milliseconds that the store may take to answer before it counts as down. */
const PATIENCE_MS = 2_000;

const State = Type.Union([Type.Literal('up'), Type.Literal('down')]);
const Readiness = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]),
  store: State,
  queue: State,
});

export interface HealthOptions {
  /** Rejects, or does not answer, when the store is down. */
  askStore(): Promise<unknown>;
  /** The state as it was last known: readiness does not wait for the queue. */
  queueState(): 'up' | 'down';
  /** Whether the process is about to end, and takes no more than what is on its way. */
  isEnding(): boolean;
}

/**
 * `/health/live`: the process answers. `/health/ready`: it can accept messages, which the store alone decides; the
 * queue is only reported, for accepting goes on without it. A process that is about to end says that it is not ready.
 */
export async function health(app: FastifyInstance, { askStore, queueState, isEnding }: HealthOptions): Promise<void> {
  app.get(
    '/health/live',
    {
      exposeHeadRoute: true,
      schema: {
        tags: ['Health'],
        operationId: 'healthLive',
        security: [],
        summary: 'Is the process alive?',
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    () => ({ status: 'ok' }),
  );
  app.get(
    '/health/ready',
    {
      exposeHeadRoute: true,
      schema: {
        tags: ['Health'],
        operationId: 'healthReady',
        security: [],
        summary: 'Can the process accept messages?',
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply): Promise<Static<typeof Readiness>> => {
      const queue = queueState();
      const store = await withTimeout(askStore(), PATIENCE_MS).then(
        () => 'up' as const,
        () => 'down' as const,
      );
      const isReady = store === 'up' && !isEnding();
      if (!isReady) reply.code(503);
      return { status: isReady ? 'ok' : 'unavailable', store, queue };
    },
  );
}
