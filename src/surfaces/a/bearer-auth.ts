import { findAccountRefusal } from '../../accounts/account-settings.js';
import type { Authenticator, Credential } from '../../accounts/authenticator.js';
import { AppError } from '../../platform/errors/app-error.js';
import { authentication, bearerToken, describeBearerHeader, missingScope } from '../http/authentication.js';

const SCOPE = 'rest';

declare module 'fastify' {
  interface FastifyRequest {
    credential: Credential;
  }
}

type Keys = Pick<Authenticator, 'find'>;

export const bearerAuth = authentication<Keys, Credential | null>('credential', (authenticator) => ({
  find: ({ headers }) => {
    const key = bearerKey(headers.authorization);
    return key === null ? null : authenticator.find(key);
  },
  admit: (request, credential) => {
    if (credential?.surface !== 'a') {
      const problem = describeBearerHeader(request.headers.authorization);
      return new AppError('UNAUTHORIZED', problem ?? 'The API key is invalid.');
    }
    if (!credential.scopes.includes(SCOPE)) return missingScope(SCOPE);
    request.credential = credential;
    return findAccountRefusal(credential.account);
  },
}));

function bearerKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  // This fast path reads the usual form of the header without a regular expression.
  if (header.startsWith('Bearer hg_live_')) return header.slice(7);
  return bearerToken(header);
}
