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
  processes: Type.Optional(
    Type.Object(
      {
        ready: Type.Integer({ minimum: 0, description: 'Those that are at work.' }),
        of: Type.Integer({ minimum: 2, description: 'PROCESSES.' }),
      },
      { description: 'Of one start with several processes: how many of them are ready.' },
    ),
  ),
});

/** The processes of one start, as the first of them knows them. */
export interface Siblings {
  /** Those that are at work. */
  ready: number;
  /** How many there are to be. */
  of: number;
  /** Whether all are about to end. */
  isEnding: boolean;
}

export interface HealthOptions {
  /** Rejects, or does not answer, when the store is down. */
  askStore(): Promise<unknown>;
  /** The state as it was last known: readiness does not wait for the queue. */
  queueState(): 'up' | 'down';
  /** Whether the process is about to end, and takes no more than what is on its way. */
  isEnding(): boolean;
  /** Null where this process is the only one of its start. */
  siblings(): Siblings | null;
}

/**
 * `/health/live`: the process answers. `/health/ready`: it can accept messages, which the store alone decides; the
 * queue is only reported, for accepting goes on without it. A process that is about to end says that it is not ready.
 */
export async function health(
  app: FastifyInstance,
  { askStore, queueState, isEnding, siblings }: HealthOptions,
): Promise<void> {
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
      const all = siblings();
      // One of several that ends while others take its place still answers for the port.
      const ends = all ? all.isEnding : isEnding();
      const isReady = store === 'up' && !ends;
      if (!isReady) reply.code(503);
      const processes = all && { processes: { ready: all.ready, of: all.of } };
      return { status: isReady ? 'ok' : 'unavailable', store, queue, ...processes };
    },
  );
}
