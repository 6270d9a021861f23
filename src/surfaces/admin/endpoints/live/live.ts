import { type Static, Type } from '@sinclair/typebox';
import { createSession } from 'better-sse';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findHighestRole, type Grant, listVisibleAccountIds } from '../../../../accounts/operators/roles/roles.js';
import type { Sessions } from '../../../../accounts/operators/sessions/sessions.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import type { LiveListener } from '../../../../platform/live/live-listener.js';
import type { Endpoints } from '../../endpoint.js';
import { adminErrors } from '../../errors.js';
import { type StreamLimits, StreamSlots } from './stream-slots.js';
import { type LiveStream, LiveStreams } from './streams.js';

/** Delay after which a browser reconnects a lost stream. */
const RETRY_MS = 2_000;

export interface LiveOptions {
  liveListener: Pick<LiveListener, 'watch' | 'watchers'>;
  sessions: Pick<Sessions, 'findByIds'>;
  streamLimits: StreamLimits;
}

const LiveQuery = Type.Object({
  accountId: Type.Optional(
    Type.String({ description: 'The account to watch. Without it, every account for which the operator has a role.' }),
  ),
});

export const liveEndpoints: Endpoints<LiveOptions> = async (app, { liveListener, sessions, streamLimits }) => {
  const streams = new LiveStreams(sessions);
  const slots = new StreamSlots(streamLimits);
  app.addHook('preClose', async () => {
    streams.endAll();
  });

  app.get(
    '/live',
    {
      config: { needs: 'session', roleScope: 'self', background: true },
      schema: {
        operationId: 'consoleWatch',
        summary: 'Watch for changes',
        description:
          'Server-sent events while a page is open. The event `stale` contains `{"topics": […]}`: what the page should reload; `*` means everything. The stream ends when the session ends, the role is removed, or the store is unavailable (503 at the start). Then poll every two seconds.',
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
      if (accountId !== null && !findHighestRole(operator.grants, accountId)) {
        throw notFound('account');
      }
      // The slot is acquired before the first await, so that concurrent requests cannot exceed the limits.
      const release = slots.acquire({ session: session.id, operator: operator.id, account: accountId });
      const accountIds = listWatchedAccounts(operator.grants, accountId);
      let stream: LiveStream | null = null;
      const earlyTopics = new Set<string>();
      const markStale = (topics: readonly string[]) => {
        if (stream) streams.add(stream, topics);
        else for (const topic of topics) earlyTopics.add(topic);
      };
      const watching = liveListener.watch({
        accounts: accountIds,
        onStale: markStale,
        onEnd: () => stream && streams.end(stream),
      });
      const unwatch = await watching.catch((error) => {
        release();
        throw error;
      });
      const releaseStream = () => {
        release();
        unwatch();
      };
      if (request.raw.destroyed) return releaseStream();
      reply.hijack();
      const { 'cache-control': _, ...headers } = reply.getHeaders();
      const sse = await createSession(request.raw, reply.raw, {
        retry: RETRY_MS,
        keepAlive: null,
        headers: headers as Record<string, string>,
      }).catch((error) => {
        releaseStream();
        throw error;
      });
      const openedStream: LiveStream = {
        sessionId: session.id,
        mayContinue: ({ operator: { grants } }) =>
          String(listWatchedAccounts(grants, accountId)) === String(accountIds),
        push: (topics) => sse.push({ topics }, 'stale'),
        onEnd: () => {
          releaseStream();
          reply.raw.end();
        },
      };
      stream = openedStream;
      streams.open(openedStream, earlyTopics);
      sse.on('disconnected', () => streams.end(openedStream));
      if (reply.raw.destroyed) streams.end(openedStream);
    },
  );
};

/** An operator without any role watches no account, but still gets notices about the installation. */
function listWatchedAccounts(grants: readonly Grant[], accountId: string | null): 'all' | string[] {
  if (accountId !== null) return findHighestRole(grants, accountId) ? [accountId] : [];
  const accounts = listVisibleAccountIds(grants);
  return accounts === 'all' ? accounts : accounts.sort();
}
