import { type Static, Type } from '@sinclair/typebox';
import { createSession, type Session } from 'better-sse';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { roleFor } from '../../../accounts/operators/roles.js';
import type { Sessions } from '../../../accounts/operators/sessions.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { ALL } from '../../../platform/live/live-feed.js';
import type { LiveListener } from '../../../platform/live/live-listener.js';
import type { Endpoints } from '../endpoint.js';
import { adminErrors } from '../errors.js';
import { sessionToken } from '../session-cookie.js';

/** Pages of one session that may watch at once, and of a process. */
const STREAMS_OF_SESSION = 20;
const STREAMS_OF_PROCESS = 1_000;
/** Milliseconds between two notices of one stream, so that a page is not asking all the time while much is sent. */
const NOTICE_EVERY_MS = 500;
/**
 * Milliseconds after which everything counts as stale: what nobody tells, such as changes by the command line and carriers
 * of a process that was killed, is seen so soon. The session is looked at too, and the stream ends with it.
 */
const ALL_EVERY_MS = 10_000;
/** Milliseconds after which a browser that lost its stream tries again. */
const RETRY_MS = 2_000;

export interface LiveOptions {
  liveListener: Pick<LiveListener, 'watch' | 'watchers'>;
  sessions: Pick<Sessions, 'find'>;
}

const LiveQuery = Type.Object({
  accountId: Type.Optional(Type.String({ description: 'Of the page; left out on pages of the installation.' })),
});

/** Tells a page what has become stale. */
export const liveEndpoints: Endpoints<LiveOptions> = async (app, { liveListener, sessions }) => {
  const streams = new Map<Session, { sessionId: string; close(): void }>();
  app.addHook('preClose', async () => {
    for (const { close } of streams.values()) close();
  });

  app.get(
    '/live',
    {
      config: { needs: 'session', of: 'self' },
      schema: {
        operationId: 'consoleWatch',
        summary: 'Watch what becomes stale',
        description:
          'Server-sent events for as long as the page is open. An event `stale` holds `{"topics": […]}`: what the page should ask for again; `*` is everything. The stream ends with the session, and where the store is away (503 at the beginning): then ask every two seconds.',
        tags: ['Console'],
        querystring: LiveQuery,
        response: {
          200: {
            description: 'The stream.',
            content: {
              'text/event-stream': {
                schema: Type.String({ examples: ['event: stale\ndata: {"topics":["messages"]}\n\n'] }),
              },
            },
          },
          ...adminErrors([404, 429]),
        },
      },
    },
    async (request: FastifyRequest<{ Querystring: Static<typeof LiveQuery> }>, reply: FastifyReply) => {
      const { session, operator, query } = request;
      const accountId = query.accountId?.toLowerCase() ?? null;
      if (accountId !== null && !roleFor(operator.grants, accountId)) {
        throw new AppError('NOT_FOUND', 'There is no account with this id.');
      }
      const own = [...streams.values()].filter(({ sessionId }) => sessionId === session.id).length;
      if (own >= STREAMS_OF_SESSION || streams.size >= STREAMS_OF_PROCESS) {
        throw new AppError('RATE_LIMITED', 'Too many pages are open. Close some of them.');
      }
      const notices = new Notices();
      let close = () => {};
      const leave = await liveListener.watch({ accountId, stale: (topics) => notices.add(topics), end: () => close() });
      if (request.raw.destroyed) return leave();
      reply.hijack();
      const stream = await createSession(request.raw, reply.raw, { retry: RETRY_MS, keepAlive: null });
      const token = sessionToken(request);
      const tick = setInterval(async () => {
        const found = await sessions.find(token).catch(() => null);
        if (found && (accountId === null || roleFor(found.operator.grants, accountId))) notices.add([ALL]);
        else close();
      }, ALL_EVERY_MS);
      close = () => {
        clearInterval(tick);
        notices.end();
        streams.delete(stream);
        leave();
        reply.raw.end();
      };
      streams.set(stream, { sessionId: session.id, close });
      stream.on('disconnected', () => close());
      notices.begin((topics) => stream.push({ topics }, 'stale'));
    },
  );
};

/** Merges what is stale to few notices: the first goes at once. */
class Notices {
  #topics = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #push: ((topics: string[]) => void) | null = null;

  add(topics: readonly string[]): void {
    for (const topic of topics) this.#topics.add(topic);
    if (!this.#timer) this.#send();
  }

  begin(push: (topics: string[]) => void): void {
    this.#push = push;
    this.#send();
  }

  end(): void {
    this.#push = null;
    clearTimeout(this.#timer);
  }

  #send(): void {
    this.#timer = undefined;
    if (!this.#push || this.#topics.size === 0) return;
    const topics = [...this.#topics];
    this.#topics = new Set();
    this.#push(topics);
    this.#timer = setTimeout(() => this.#send(), NOTICE_EVERY_MS);
  }
}
