import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';

/** RFC 6750 §2.1; the scheme's name is case-insensitive (RFC 9110 §11.1). */
const BEARER = /^bearer +([\w~+/.=-]+) *$/i;

/** The token of an `Authorization` header; null where the header is of another form. */
export function bearerToken(header: string): string | null {
  return BEARER.exec(header)?.[1] ?? null;
}

/**
 * What is wrong with an `Authorization` header that should carry a key, as a sentence; null where its form is right. It says
 * nothing about the key: an unknown one must look like a revoked one.
 */
export function describeBearerHeader(header: string | undefined): string | null {
  if (!header) return 'The header Authorization is missing: send "Authorization: Bearer <API_KEY>".';
  if (bearerToken(header) !== null) return null;
  return 'The header Authorization is malformed: it must be "Bearer <API_KEY>".';
}

/** How requests of a context are authenticated. */
export interface Authentication<T> {
  /** Whom the headers of a request stand for; at once where that is known from memory. */
  find(request: FastifyRequest): T | Promise<T>;
  /** Makes the caller known; the error that answers the request instead, if it may not pass. */
  admit(request: FastifyRequest, found: T): AppError | null;
  /** `WWW-Authenticate` of a 401 (RFC 9110 §11.6.1); without it the scheme is Bearer. */
  challenge?: string;
}

/**
 * Lets only those requests of a context pass that are admitted. It runs before the body is read. The plugin that calls
 * it must depend on `rate-limits`.
 */
export function authenticate<T>(app: FastifyInstance, { find, admit, challenge }: Authentication<T>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const settle = (found: T) => {
      const refusal = admit(request, found);
      if (refusal) refuse(app, request, reply, refusal, challenge).then(done, done);
      else done();
    };
    const found = find(request);
    if (found instanceof Promise) found.then(settle, (cause: unknown) => done(unavailable(cause)));
    else settle(found);
  });
}

/**
 * Makes a plugin that authenticates the requests of a context.
 * @param field of a request, which `admit` sets; the plugin is named by it
 * @param by how, with what looks keys up
 */
export function authentication<A, T>(
  field: keyof FastifyRequest & string,
  by: (authenticator: A) => Authentication<T>,
) {
  return plugin(
    async (app: FastifyInstance, { authenticator }: { authenticator: A }) => {
      app.decorateRequest(field, null as never);
      authenticate(app, by(authenticator));
    },
    { name: `authentication-${field}`, dependencies: ['rate-limits'] },
  );
}

/** The refusal of a key that lacks a scope. */
export function missingScope(scope: string | undefined): AppError {
  return new AppError('FORBIDDEN', `The API key does not have the scope ${scope}.`);
}

/** The error for a refused request: a 429 in place of the 401 or 403 once its address was refused too often. */
async function refuse(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: AppError,
  challenge: string | undefined,
): Promise<AppError> {
  // Refused before the limit of its key counts, so a key without the scope counts here.
  if (refusal.code !== 'UNAUTHORIZED' && refusal.code !== 'FORBIDDEN') return refusal;
  const limit = await app.limitFailures?.(request);
  if (limit) {
    reply.header('retry-after', limit.retryAfter);
    return limit.error;
  }
  if (challenge && refusal.code === 'UNAUTHORIZED') reply.header('www-authenticate', challenge);
  return refusal;
}

function unavailable(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', 'The API key cannot be checked at the moment.', [], { cause });
}
