import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type { Authenticator, Credential } from '../../accounts/authenticator.js';
import { AppError } from '../../platform/errors.js';

/** The scope that an app needs for Surface A. */
const SCOPE = 'rest';
/** RFC 6750 §2.1; the scheme's name is case-insensitive (RFC 9110 §11.1). */
const BEARER = /^bearer +([\w~+/.=-]+) *$/i;

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request carries; set on every authenticated route. */
    credential: Credential;
  }
}

/**
 * Lets a request pass that carries `Authorization: Bearer <key>` of an app with the scope `rest`. It runs before the
 * body is read.
 */
export const bearerAuth = plugin(
  async (app: FastifyInstance, { authenticator }: { authenticator: Pick<Authenticator, 'find'> }) => {
    app.decorateRequest('credential', null as unknown as Credential);
    app.addHook('onRequest', (request, reply, done) => {
      const settle = (credential: Credential | null) => {
        const refusal = refusalOf(credential);
        if (refusal) refuse(app, request, reply, refusal).then(done, done);
        else {
          request.credential = credential as Credential;
          done();
        }
      };
      const key = bearerKey(request.headers.authorization);
      const found = key === null ? null : authenticator.find(key);
      if (found instanceof Promise) found.then(settle, (cause: unknown) => done(unavailable(cause)));
      else settle(found);
    });
  },
  { name: 'bearer-auth', dependencies: ['rate-limits'] },
);

function bearerKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  // The usual form, without the cost of an expression.
  if (header.startsWith('Bearer hg_live_')) return header.slice(7);
  return BEARER.exec(header)?.[1] ?? null;
}

function refusalOf(credential: Credential | null): AppError | null {
  if (credential?.surface !== 'a') return new AppError('UNAUTHORIZED', 'The API key is missing or invalid.');
  if (credential.scopes.includes(SCOPE)) return null;
  return new AppError('FORBIDDEN', `The API key does not have the scope ${SCOPE}.`);
}

/** The error that answers a refused request: past the limit of its address a 429 in place of the 401. */
async function refuse(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: AppError,
): Promise<AppError> {
  if (refusal.code !== 'UNAUTHORIZED' || !app.limitFailures) return refusal;
  const limit = await app.limitFailures(request);
  if (!limit) return refusal;
  reply.header('retry-after', limit.retryAfter);
  return limit.error;
}

function unavailable(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', 'The API key cannot be checked at the moment.', [], { cause });
}
