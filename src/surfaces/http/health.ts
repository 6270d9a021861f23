import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { withTimeout } from '../../platform/timeout.js';

/** If the store takes longer to respond, it counts as down. */
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
  /** Rejects or hangs if the store is down. */
  pingStore(): Promise<unknown>;
  /** The last known state: readiness does not wait for the queue. */
  queueState(): 'up' | 'down';
  isEnding(): boolean;
  /** Null if this is the only process. */
  siblings(): Siblings | null;
}

/** Readiness depends only on the store, because sends are accepted without the queue. */
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
      // If only this process ends, the others still respond on the port.
      const isShuttingDown = cluster ? cluster.isEnding : isEnding();
      const isReady = store === 'up' && !isShuttingDown;
      if (!isReady) reply.code(503);
      const processes = cluster && { processes: { ready: cluster.ready, of: cluster.planned } };
      return { status: isReady ? 'ok' : 'unavailable', store, queue, ...processes };
    },
  );
}
