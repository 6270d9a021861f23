import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { findAccountRefusal } from '../../accounts/account-settings.js';
import type {
  ChannelAuthentication,
  ChannelAuthenticator,
  ChannelCaller,
} from '../../accounts/channel-authenticator.js';
import type { OperationScope } from '../../accounts/keys.js';
import { AppError } from '../../platform/errors/app-error.js';
import { authenticate, bearerToken, describeBearerHeader, missingScope } from '../http/authentication.js';
import '../resources/callers/channel-caller.js';

/** The headers with API keys have no registered authentication scheme (RFC 9110 §11.6.1). */
const CHALLENGE = 'ApiKey headers="X-API-Key, X-API-Secret, X-Channel-Id"';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that a key needs unless it has `full`. */
    scope?: OperationScope;
  }
}

/** Clients may send `Authorization: Bearer <key>` instead of `X-API-Key`. Startup fails if an endpoint has no scope. */
export const channelAuth = plugin(
  async (app: FastifyInstance, { authenticator }: { authenticator: Pick<ChannelAuthenticator, 'find'> }) => {
    app.decorateRequest('caller', null as unknown as ChannelCaller);
    app.addHook('onRoute', ({ config, method, url }) => {
      if (!config?.scope) throw new Error(`${method} ${url} has no scope`);
    });
    authenticate(app, { find: (request) => findCaller(request, authenticator), admit, challenge: CHALLENGE });
  },
  { name: 'channel-auth', dependencies: ['rate-limits'] },
);

type LookupResult = ChannelAuthentication | AppError;

function findCaller(
  { headers }: FastifyRequest,
  authenticator: Pick<ChannelAuthenticator, 'find'>,
): LookupResult | Promise<LookupResult> {
  const { 'x-api-key': headerKey, 'x-api-secret': secret, 'x-channel-id': channelId, authorization } = headers;
  // Other authentication schemes, such as Basic, are ignored, because they may be meant for a proxy.
  const isBearer = authorization !== undefined && /^bearer\b/i.test(authorization);
  const token = isBearer ? bearerToken(authorization) : null;
  const key = headerKey || token;
  if (headerKey && isBearer && token !== headerKey) {
    return unauthorized('X-API-Key and Authorization contain different keys: send only one of them.');
  }
  if (isBearer && token === null) return unauthorized(describeBearerHeader(authorization) as string);
  const missing = [
    ...(key ? [] : ['X-API-Key']),
    ...(secret ? [] : ['X-API-Secret']),
    ...(channelId ? [] : ['X-Channel-Id']),
  ];
  if (missing.length > 0 || !key) {
    return unauthorized(
      missing.length === 1
        ? `The header ${missing[0]} is missing or empty.`
        : `The headers ${missing.slice(0, -1).join(', ')} and ${missing.at(-1)} are missing or empty.`,
    );
  }
  return authenticator.find(String(key), String(secret), String(channelId));
}

function unauthorized(message: string): AppError {
  return new AppError('UNAUTHORIZED', message);
}

function admit(request: FastifyRequest, result: LookupResult): AppError | null {
  if (result instanceof AppError) return result;
  if (result === 'unknown key') return unauthorized('The API key or its secret is invalid.');
  if (result === 'foreign channel') return new AppError('FORBIDDEN', 'The API key is not bound to this channel.');
  // The caller is set even for refused requests, because they count as usage of the channel.
  request.caller = result;
  const { scope } = request.routeOptions.config;
  const { scopes } = result;
  if (!scopes.includes('full') && !scopes.includes(scope as OperationScope)) return missingScope(scope);
  return findAccountRefusal(result.account);
}
