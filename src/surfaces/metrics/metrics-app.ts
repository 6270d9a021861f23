import { createHash, timingSafeEqual } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';

/** Prometheus and a few people ask; whoever else opens connections is turned away. */
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 5_000;
const BEARER = /^bearer +(\S+) *$/i;

export interface MetricsAppOptions {
  exposition: { readonly contentType: string; text(): Promise<string> };
  /** What `Authorization: Bearer` must carry; undefined: nothing. */
  token: string | undefined;
}

/** Answers `GET /metrics` on a listener of its own, so that no proxy of the API shows it to the world by mistake. */
export function metricsApp({ exposition, token }: MetricsAppOptions): FastifyInstance {
  const app = fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined && !isToken(request.headers.authorization, token)) {
      return reply.code(401).header('www-authenticate', 'Bearer').type('text/plain').send('METRICS_TOKEN is wanted.\n');
    }
    return reply
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .type(exposition.contentType)
      .send(await exposition.text());
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).type('text/plain').send('Only GET /metrics is here.\n'));
  return app;
}

/** In constant time, whatever the length. */
function isToken(authorization: string | undefined, token: string): boolean {
  const given = BEARER.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
