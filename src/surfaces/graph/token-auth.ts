import type { FastifyRequest } from 'fastify';
import { findAccountRefusal } from '../../accounts/account-settings.js';
import type { ChannelAuthenticator, ChannelKey } from '../../accounts/channel-authenticator.js';
import { AppError } from '../../platform/errors/app-error.js';
import { authentication, bearerToken } from '../http/authentication.js';

declare module 'fastify' {
  interface FastifyRequest {
    channelKey: ChannelKey;
  }
}

type Keys = Pick<ChannelAuthenticator, 'findToken'>;

/**
 * Some of Meta's clients send the token as the query parameter `access_token`. The channel is determined by the path of the
 * request.
 */
export const tokenAuth = authentication<Keys, ChannelKey | null>('channelKey', (authenticator) => ({
  find: (request) => {
    const token = headerToken(request) ?? queryToken(request);
    return token === null ? null : authenticator.findToken(token);
  },
  admit: (request, key) => {
    const [caller] = key?.callers.values() ?? [];
    if (!key || !caller) return new AppError('UNAUTHORIZED', 'The access token is missing or invalid.');
    request.channelKey = key;
    return findAccountRefusal(caller.account);
  },
}));

function headerToken({ headers: { authorization } }: FastifyRequest): string | null {
  return authorization === undefined ? null : (bearerToken(authorization) ?? '');
}

export function queryToken({ query }: FastifyRequest): string | null {
  const { access_token: token } = query as { access_token?: unknown };
  return typeof token === 'string' ? token : null;
}
