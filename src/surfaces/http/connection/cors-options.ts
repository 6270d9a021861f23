import type { FastifyRequest } from 'fastify';

type Decide = (error: null, options: object) => void;

/**
 * @param origin `*`, or origins separated by commas
 * @param allowsChanges whether PUT and DELETE exist on the surface that a URL belongs to
 */
export function corsOptions(origin: string, allowsChanges: (url: string) => boolean) {
  const common = {
    origin: origin === '*' ? '*' : origin.split(',').map((entry) => entry.trim()),
    exposedHeaders: [
      'X-Request-Id',
      'Idempotent-Replayed',
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ],
    maxAge: 600,
  };
  const readOptions = { ...common, methods: ['GET', 'HEAD', 'POST'] };
  const changeOptions = { ...common, methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'] };
  return {
    delegator: (request: FastifyRequest, decide: Decide) =>
      decide(null, allowsChanges(request.url) ? changeOptions : readOptions),
  };
}
