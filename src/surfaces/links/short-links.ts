import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { ClickCounter } from '../../features/links/redirect/click-counter.js';
import type { LinkLookup } from '../../features/links/redirect/lookup.js';
import { isPerson } from '../../features/links/redirect/visitor.js';
import { LINK_PATH } from '../../features/links/shortening/base.js';
import { type ErrorOptions, type ErrorRenderer, sendError } from '../http/errors.js';
import { clientAddress, rateLimits, type Windows } from '../http/limits/rate-limits.js';
import { linkPage, PAGE_TYPE, type PageStatus } from './pages.js';

/** Visits per address and second. Many people may share an address, such as the customers of a mobile network. */
const VISITS_PER_SECOND = 100;

interface Domains {
  readonly isEmpty: boolean;
  findOwner(hostname: string): string | null;
}

export interface ShortLinkOptions extends ErrorOptions {
  domains: Domains;
  lookup: Pick<LinkLookup, 'find'>;
  clicks: Pick<ClickCounter, 'count'>;
  windows: Windows;
  /** If 0, visits are not limited. */
  rateLimitPerSecond: number;
}

/** Redirects visitors of short links. Unlike other endpoints, it responds with pages, because people open links in a browser. */
export async function shortLinks(app: FastifyInstance, options: ShortLinkOptions): Promise<void> {
  const { domains, lookup, clicks, windows, rateLimitPerSecond } = options;
  app.setErrorHandler((error, request, reply) => {
    reply.type(PAGE_TYPE);
    return sendError(error, request, reply, renderPage, options);
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('x-robots-tag', 'noindex');
  });
  await app.register(rateLimits, {
    perSecond: rateLimitPerSecond === 0 ? 0 : VISITS_PER_SECOND,
    windows,
    toKey: (request) => `link:${clientAddress(request)}`,
  });

  const visit = async (request: FastifyRequest<{ Params: { '*': string } }>, reply: FastifyReply) => {
    const { method, headers, hostname, params } = request;
    const result = await lookup.find(params['*'], domains.findOwner(hostname));
    if (result.result !== 'found') return sendPage(reply, result.result === 'unknown' ? 404 : 410);
    clicks.count(result.code, isPerson(method, headers));
    return reply.redirect(new URL(result.target).href, 302);
  };
  app.route({ method: ['GET', 'HEAD'], url: `${LINK_PATH}*`, schema: { hide: true }, handler: visit });
}

/** An account's own domain serves only its short links, so that no page or endpoint of the server appears to be the account's. */
export function serveOnlyLinks(domains: Domains): onRequestHookHandler {
  return (request, reply, done) => {
    const isOther = !domains.isEmpty && !request.url.startsWith(LINK_PATH);
    if (isOther && domains.findOwner(request.hostname) !== null) void sendPage(reply, 404);
    else done();
  };
}

function sendPage(reply: FastifyReply, status: PageStatus): FastifyReply {
  return reply.code(status).type(PAGE_TYPE).send(linkPage(status));
}

const renderPage: ErrorRenderer = ({ status }) => {
  const pageStatus = status === 404 || status === 429 ? status : 503;
  return Buffer.from(linkPage(pageStatus));
};
