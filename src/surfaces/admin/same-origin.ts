import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);
const JSON_TYPE = /^application\/json *(;|$)/i;
const FORM_TYPE = /^multipart\/form-data *;/i;

/**
 * Refuses what a page of another origin might make a browser send with the operator's cookie: a request that changes
 * things must be JSON, which no form can send, and have an `Origin` that is this host, which browsers send and no page can
 * forge (OWASP's CSRF Prevention Cheat Sheet). Where a file is taken it may be a form: there the `Origin` alone decides.
 */
export const sameOrigin = plugin(
  async (app: FastifyInstance) => {
    app.addHook('onRequest', (request, _reply, done) => {
      done(SAFE.has(request.method) ? undefined : (problemOf(request) ?? undefined));
    });
  },
  { name: 'same-origin' },
);

/**
 * Where the console is, to the browser of a request that changes something: scheme, host and port.
 * @param consoleUrl as it was configured
 */
export function consoleOrigin(request: FastifyRequest, consoleUrl: string | undefined): string {
  return consoleUrl ?? browserOrigin(request);
}

/** The `Origin` of a request that changes something, which is checked by then. */
export function browserOrigin({ headers }: FastifyRequest): string {
  return new URL(headers.origin ?? '').origin;
}

function problemOf({ headers, host, routeOptions }: FastifyRequest): AppError | null {
  const type = headers['content-type'] ?? '';
  const isForm = routeOptions.config?.takesFile !== undefined && FORM_TYPE.test(type);
  if (!isForm && !JSON_TYPE.test(type)) {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request must have Content-Type application/json.');
  }
  if (!isOrigin(headers.origin ?? '', host)) {
    return new AppError('FORBIDDEN', 'The request must have an Origin that is the host of this server.');
  }
  return null;
}

/** The scheme is left open: whoever speaks TLS may stand in between. A port that the scheme implies may be left out. */
function isOrigin(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  return URL.canParse(`${protocol}//${host}`) && new URL(`${protocol}//${host}`).host === from && from !== '';
}
