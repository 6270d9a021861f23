import { type Static, Type } from '@sinclair/typebox';
import { createSession, type Session } from 'better-sse';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Grant, roleFor, visibleAccounts } from '../../../accounts/operators/roles/roles.js';
import type { Sessions } from '../../../accounts/operators/sessions/sessions.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { ALL } from '../../../platform/live/live-feed.js';
import type { LiveListener } from '../../../platform/live/live-listener.js';
import type { Endpoints } from '../endpoint.js';
import { adminErrors } from '../errors.js';
import { sessionToken } from '../session-cookie.js';

/**
 * Most open streams in a process. Each costs a look at its session every two seconds, so one viewer with many sessions must not
 * slow down other accounts: 50 sessions with 20 streams each made a single send of another account take up to 9.4 s.
 */
const MOST_STREAMS = { session: 20, operator: 40, account: 200, process: 1_000 } as const;
type StreamOwner = keyof typeof MOST_STREAMS;
/** Milliseconds between two notices of one stream, so that a page is not asking all the time while much is sent. */
const NOTICE_EVERY_MS = 500;
/**
 * Milliseconds after which everything counts as stale: what nobody tells, such as changes by the command line and carriers
 * of a process that was killed, is seen so soon.
 */
const ALL_EVERY_MS = 10_000;
/** Milliseconds after which the session is looked at where nothing was told; before a notice it always is. */
const CHECK_EVERY_MS = 2_000;
/** Milliseconds after which a browser that lost its stream tries again. */
const RETRY_MS = 2_000;

export interface LiveOptions {
  liveListener: Pick<LiveListener, 'watch' | 'watchers'>;
  sessions: Pick<Sessions, 'find'>;
}

const LiveQuery = Type.Object({
  accountId: Type.Optional(
    Type.String({ description: 'Of the page. Without it, every account that the operator has a role for is watched.' }),
  ),
});

/** Tells a page what has become stale. */
export const liveEndpoints: Endpoints<LiveOptions> = async (app, { liveListener, sessions }) => {
  const streams = new Map<Session, { close(): void }>();
  const places = new Places();
  app.addHook('preClose', async () => {
    for (const { close } of streams.values()) close();
  });

  app.get(
    '/live',
    {
      config: { needs: 'session', of: 'self', background: true },
      schema: {
        operationId: 'consoleWatch',
        summary: 'Watch what becomes stale',
        description:
          'Server-sent events for as long as the page is open. An event `stale` holds `{"topics": […]}`: what the page should ask for again; `*` is everything. The stream ends with the session, with the role for what it watches, and where the store is away (503 at the beginning): then ask every two seconds.',
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
      // Taken before anything is awaited: of many that come at once no more get in than there are places.
      const leavePlace = places.take({
        session: session.id,
        operator: operator.id,
        process: '',
        ...(accountId !== null && { account: accountId }),
      });
      const notices = new Notices();
      let close = () => {};
      const accounts = heardBy(operator.grants, accountId);
      const watching = liveListener.watch({ accounts, stale: (topics) => notices.add(topics), end: () => close() });
      const unwatch = await watching.catch((error) => {
        leavePlace();
        throw error;
      });
      const leave = () => {
        leavePlace();
        unwatch();
      };
      if (request.raw.destroyed) return leave();
      reply.hijack();
      const { 'cache-control': _, ...headers } = reply.getHeaders();
      const stream = await createSession(request.raw, reply.raw, {
        retry: RETRY_MS,
        keepAlive: null,
        headers: headers as Record<string, string>,
      }).catch((error) => {
        leave();
        throw error;
      });
      const token = sessionToken(request);
      /** Ends the stream where it may not go on as it began; the browser then asks for another. */
      const check = async () => {
        const found = await sessions.find(token, { isUse: false }).catch(() => null);
        if (!found || String(heardBy(found.operator.grants, accountId)) !== String(accounts)) close();
      };
      const timers = [setInterval(check, CHECK_EVERY_MS), setInterval(() => notices.add([ALL]), ALL_EVERY_MS)];
      close = () => {
        for (const timer of timers) clearInterval(timer);
        notices.end();
        streams.delete(stream);
        leave();
        reply.raw.end();
      };
      streams.set(stream, { close });
      stream.on('disconnected', () => close());
      // It may have gone while the stream was made.
      if (reply.raw.destroyed) return close();
      notices.begin(async (topics) => {
        await check();
        if (streams.has(stream)) stream.push({ topics }, 'stale');
      });
    },
  );
};

/**
 * Of which accounts a page is told: its own, or all that grants let its operator see. An operator without a role hears
 * what concerns everybody.
 */
function heardBy(grants: readonly Grant[], accountId: string | null): 'all' | string[] {
  if (accountId !== null) return roleFor(grants, accountId) ? [accountId] : [];
  const accounts = visibleAccounts(grants);
  return accounts === 'all' ? accounts : accounts.sort();
}

/** Counts open streams by session, operator and account, and all of the process. */
class Places {
  readonly #taken = new Map<string, number>();

  /**
   * Takes a place for a stream.
   * @param owners their IDs; the account only if the page watches one
   * @returns gives the place back; calling it again does nothing
   * @throws {AppError} RATE_LIMITED naming the limit that is reached
   */
  take(owners: Partial<Record<StreamOwner, string>>): () => void {
    const entries = Object.entries(owners) as [StreamOwner, string][];
    const full = entries.find(([owner, id]) => (this.#taken.get(`${owner} ${id}`) ?? 0) >= MOST_STREAMS[owner]);
    if (full) throw new AppError('RATE_LIMITED', REFUSALS[full[0]]);
    this.#count(entries, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.#count(entries, -1);
      isTaken = false;
    };
  }

  #count(entries: readonly (readonly [StreamOwner, string])[], by: 1 | -1): void {
    for (const [owner, id] of entries) {
      const key = `${owner} ${id}`;
      const count = (this.#taken.get(key) ?? 0) + by;
      if (count === 0) this.#taken.delete(key);
      else this.#taken.set(key, count);
    }
  }
}

const REFUSALS: Readonly<Record<StreamOwner, string>> = {
  session: `Too many pages are open: a browser may have ${MOST_STREAMS.session}. Close some of them.`,
  operator: `Too many pages are open: an operator may have ${MOST_STREAMS.operator} in all browsers. Close some of them.`,
  account: `Too many pages of this account are open: it may have ${MOST_STREAMS.account}. Close some of them.`,
  process: `Too many pages are open on this server: it may have ${MOST_STREAMS.process}. Try again later.`,
};

/** Merges what is stale to few notices: the first goes at once. */
class Notices {
  #topics = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #push: ((topics: string[]) => Promise<void>) | null = null;

  add(topics: readonly string[]): void {
    for (const topic of topics) this.#topics.add(topic);
    if (!this.#timer) this.#send();
  }

  begin(push: (topics: string[]) => Promise<void>): void {
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
    void this.#push(topics);
    this.#timer = setTimeout(() => this.#send(), NOTICE_EVERY_MS);
  }
}
