import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { withTimeout } from '../../platform/timeout.js';

/** The store counts as down if it takes longer than this to respond. */
const STORE_TIMEOUT_MS = 2_000;

const State = Type.Union([Type.Literal('up'), Type.Literal('down')]);
const Readiness = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('unavailable')]),
  store: State,
  queue: State,
  processes: Type.Optional(
    Type.Object(
      {
        ready: Type.Integer({ minimum: 0, description: 'Running processes.' }),
        of: Type.Integer({ minimum: 2, description: 'Configured processes (PROCESSES).' }),
      },
      { description: 'Only if one start runs several processes.' },
    ),
  ),
});

export interface Siblings {
  /** Number of running processes. */
  ready: number;
  /** Number of configured processes. */
  planned: number;
  /** Whether all processes are shutting down. */
  isEnding: boolean;
}

export interface HealthOptions {
  /** While the store is down, the promise is rejected or stays pending. */
  pingStore(): Promise<unknown>;
  /** Returns the last known state of the queue, because the readiness check does not wait for the queue. */
  queueState(): 'up' | 'down';
  isEnding(): boolean;
  /** Returns null if this is the only process. */
  siblings(): Siblings | null;
}

/** A server is ready if the store is up, because sends are accepted even without the queue. */
export async function health(
  app: FastifyInstance,
  { pingStore, queueState, isEnding, siblings }: HealthOptions,
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
      const store = await withTimeout(pingStore(), STORE_TIMEOUT_MS).then(
        () => 'up' as const,
        () => 'down' as const,
      );
      const cluster = siblings();
      // If only this process is shutting down, the other processes still respond on the port.
      const isShuttingDown = cluster ? cluster.isEnding : isEnding();
      const isReady = store === 'up' && !isShuttingDown;
      if (!isReady) reply.code(503);
      const processes = cluster && { processes: { ready: cluster.ready, of: cluster.planned } };
      return { status: isReady ? 'ok' : 'unavailable', store, queue, ...processes };
    },
  );
}
