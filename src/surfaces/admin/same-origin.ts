import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const JSON_TYPE = /^application\/json *(;|$)/i;
const FORM_TYPE = /^multipart\/form-data *;/i;

/**
 * Prevents cross-site request forgery (OWASP's CSRF Prevention Cheat Sheet). A change must be JSON, which HTML forms cannot
 * send, and its `Origin`, which pages cannot forge, must be this host. For file uploads only the `Origin` is checked.
 */
export const sameOrigin = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', (request, _reply, done) => {
      done(SAFE_METHODS.has(request.method) ? undefined : (findProblem(request) ?? undefined));
    });
  },
  { name: 'same-origin' },
);

/** Returns the scheme, host and port as seen by the browser. */
export function consoleOrigin(request: FastifyRequest, consoleUrl: string | undefined): string {
  return consoleUrl ?? browserOrigin(request);
}

/** Must be called only for changes, because only their `Origin` has been checked. */
export function browserOrigin({ headers }: FastifyRequest): string {
  return new URL(headers.origin ?? '').origin;
}

function findProblem({ headers, host, routeOptions }: FastifyRequest): AppError | null {
  const type = headers['content-type'] ?? '';
  const isForm = routeOptions.config?.takesFile !== undefined && FORM_TYPE.test(type);
  if (!isForm && !JSON_TYPE.test(type)) {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request must have Content-Type application/json.');
  }
  if (!isOrigin(headers.origin ?? '', host)) {
    return new AppError('FORBIDDEN', 'The Origin of the request must be this server.');
  }
  return null;
}

/** Ignores the scheme, because a proxy may terminate TLS, and ignores a default port. */
function isOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  return (
    URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === originHost && originHost !== ''
  );
}
