import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { refusalOf } from '../../accounts/account-settings.js';
import type { Authenticator, Credential } from '../../accounts/authenticator.js';
import { AppError } from '../../platform/errors/app-error.js';
import { authenticate, bearerToken, missingScope } from '../http/authentication.js';

/** The scope that an app needs for Surface A. */
const SCOPE = 'rest';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose key the request carries; set on every authenticated endpoint of Surface A. */
    credential: Credential;
  }
}

/** Lets a request pass that carries `Authorization: Bearer <key>` of an app with the scope `rest`. */
export const bearerAuth = plugin(
  async (app: FastifyInstance, { authenticator }: { authenticator: Pick<Authenticator, 'find'> }) => {
    app.decorateRequest('credential', null as unknown as Credential);
    authenticate<Credential | null>(app, {
      find: ({ headers }) => {
        const key = bearerKey(headers.authorization);
        return key === null ? null : authenticator.find(key);
      },
      admit: (request, credential) => {
        if (credential?.surface !== 'a') return new AppError('UNAUTHORIZED', 'The API key is missing or invalid.');
        if (!credential.scopes.includes(SCOPE)) return missingScope(SCOPE);
        request.credential = credential;
        return refusalOf(credential.account);
      },
    });
  },
  { name: 'bearer-auth', dependencies: ['rate-limits'] },
);

function bearerKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  // The usual form, without the cost of an expression.
  if (header.startsWith('Bearer hg_live_')) return header.slice(7);
  return bearerToken(header);
}
