import { createHash, timingSafeEqual } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';

/** Maximum connections, enough for Prometheus and a few people. */
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 5_000;
const BEARER = /^bearer +(\S+) *$/i;

export interface MetricsAppOptions {
  exposition: { readonly contentType: string; text(): Promise<string> };
  /** Undefined allows everyone. */
  token: string | undefined;
}

/** Metrics have their own port, so that a proxy in front of the API does not expose them by mistake. */
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
      return reply
        .code(401)
        .header('www-authenticate', 'Bearer')
        .type('text/plain')
        .send('METRICS_TOKEN is required.\n');
    }
    return reply
      .header('cache-control', 'no-store')
      .header('x-content-type-options', 'nosniff')
      .type(exposition.contentType)
      .send(await exposition.text());
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).type('text/plain').send('Only GET /metrics is served here.\n'),
  );
  return app;
}

/** Compares digests, so that the time does not depend on the length of the token. */
function isToken(authorization: string | undefined, token: string): boolean {
  const requestToken = BEARER.exec(authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(requestToken), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
