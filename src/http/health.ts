import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';

/** Longest time in milliseconds that a part may take to answer before it counts as down. */
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
  askQueue(): Promise<'up' | 'down'>;
}

/**
 * `/health/live`: the process answers. `/health/ready`: it can accept messages, which the store alone decides; the
 * queue is only reported, for accepting goes on without it.
 */
export async function health(app: FastifyInstance, { askStore, askQueue }: HealthOptions): Promise<void> {
  app.get(
    '/health/live',
    {
      schema: {
        tags: ['Health'],
        summary: 'Is the process alive?',
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    () => ({ status: 'ok' }),
  );
  app.get(
    '/health/ready',
    {
      schema: {
        tags: ['Health'],
        summary: 'Can the process accept messages?',
        response: { 200: Readiness, 503: Readiness },
      },
    },
    async (_request, reply): Promise<Static<typeof Readiness>> => {
      const [store, queue] = await Promise.all([answers(askStore().then(() => 'up' as const)), answers(askQueue())]);
      if (store === 'down') reply.code(503);
      return { status: store === 'up' ? 'ok' : 'unavailable', store, queue };
    },
  );
}

async function answers(question: Promise<'up' | 'down'>): Promise<'up' | 'down'> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<'down'>((resolve) => {
    timer = setTimeout(() => resolve('down'), PATIENCE_MS);
  });
  try {
    return await Promise.race([question, patience]);
  } catch {
    return 'down';
  } finally {
    clearTimeout(timer);
  }
}
