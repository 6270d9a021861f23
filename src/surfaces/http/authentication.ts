import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../platform/errors/app-error.js';

/** Syntax of a bearer token (RFC 6750 §2.1), with a case-insensitive scheme name (RFC 9110 §11.1). */
const BEARER = /^bearer +([\w~+/.=-]+) *$/i;

/** Returns null if the header contains no bearer token. */
export function bearerToken(header: string): string | null {
  return BEARER.exec(header)?.[1] ?? null;
}

/**
 * Describes a missing or malformed header. The result is null for a well-formed header, so that unknown and revoked keys get
 * the same error.
 */
export function describeBearerHeader(header: string | undefined): string | null {
  if (!header) return 'The header Authorization is missing: send "Authorization: Bearer <API_KEY>".';
  if (bearerToken(header) !== null) return null;
  return 'The header Authorization is malformed: it must be "Bearer <API_KEY>".';
}

export interface Authentication<T> {
  /** Returns the result synchronously if it is cached. */
  find(request: FastifyRequest): T | Promise<T>;
  admit(request: FastifyRequest, result: T): AppError | null;
  /** Value of `WWW-Authenticate` in a 401 (RFC 9110 §11.6.1), by default Bearer. */
  challenge?: string;
}

/** A plugin that calls this function must depend on `rate-limits`. */
export function authenticate<T>(app: FastifyInstance, { find, admit, challenge }: Authentication<T>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const settle = (result: T) => {
      const refusal = admit(request, result);
      if (refusal) refuse(app, request, reply, refusal, challenge).then(done, done);
      else done();
    };
    const result = find(request);
    if (result instanceof Promise) result.then(settle, (cause: unknown) => done(toUnavailable(cause)));
    else settle(result);
  });
}

/** @param field request property that `admit` sets, and part of the plugin's name */
export function authentication<A, T>(
  field: keyof FastifyRequest & string,
  toAuthentication: (authenticator: A) => Authentication<T>,
) {
  return plugin(
    async (app: FastifyInstance, { authenticator }: { authenticator: A }) => {
      app.decorateRequest(field, null as never);
      authenticate(app, toAuthentication(authenticator));
    },
    { name: `authentication-${field}`, dependencies: ['rate-limits'] },
  );
}

export function missingScope(scope: string | undefined): AppError {
  return new AppError('FORBIDDEN', `The API key does not have the scope ${scope}.`);
}

/** Replaces a 401 or 403 with a 429 after an address has been refused too often. */
async function refuse(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: AppError,
  challenge: string | undefined,
): Promise<AppError> {
  // A request whose key lacks the scope never reaches the limit per key, so the request is counted here.
  if (refusal.code !== 'UNAUTHORIZED' && refusal.code !== 'FORBIDDEN') return refusal;
  const limit = await app.limitFailures?.(request);
  if (limit) {
    reply.header('retry-after', limit.retryAfter);
    return limit.error;
  }
  if (challenge && refusal.code === 'UNAUTHORIZED') reply.header('www-authenticate', challenge);
  return refusal;
}

function toUnavailable(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', 'The API key cannot be checked at the moment.', [], { cause });
}
