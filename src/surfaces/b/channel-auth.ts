import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { refusalOf } from '../../accounts/account-settings.js';
import type {
  ChannelAuthentication,
  ChannelAuthenticator,
  ChannelCaller,
} from '../../accounts/channel-authenticator.js';
import type { OperationScope } from '../../accounts/keys.js';
import { AppError } from '../../platform/errors/app-error.js';
import { authenticate, bearerToken, describeBearerHeader, missingScope } from '../http/authentication.js';
import '../resources/callers/channel-caller.js';

/** Names the headers that a caller must send: there is no registered scheme for them (RFC 9110 §11.6.1). */
const CHALLENGE = 'ApiKey headers="X-API-Key, X-API-Secret, X-Channel-Id"';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What an endpoint of Surface B asks of a key, unless the key has `full`. */
    scope?: OperationScope;
  }
}

/**
 * Lets a request pass that carries `X-API-Key`, `X-API-Secret` and `X-Channel-Id` of a key that is bound to the channel
 * and has the endpoint's scope. `Authorization: Bearer <key>` may replace `X-API-Key`. An endpoint without a scope
 * fails at start.
 */
export const channelAuth = plugin(
  async (app: FastifyInstance, { authenticator }: { authenticator: Pick<ChannelAuthenticator, 'find'> }) => {
    app.decorateRequest('caller', null as unknown as ChannelCaller);
    app.addHook('onRoute', ({ config, method, url }) => {
      if (!config?.scope) throw new Error(`${method} ${url} names no scope`);
    });
    authenticate(app, { find: (request) => findCaller(request, authenticator), admit, challenge: CHALLENGE });
  },
  { name: 'channel-auth', dependencies: ['rate-limits'] },
);

/** A caller, what is wrong with the key, or the refusal of headers that are missing or malformed. */
type Found = ChannelAuthentication | AppError;

function findCaller(
  { headers }: FastifyRequest,
  authenticator: Pick<ChannelAuthenticator, 'find'>,
): Found | Promise<Found> {
  const { 'x-api-key': ownKey, 'x-api-secret': secret, 'x-channel-id': channelId, authorization } = headers;
  // Another scheme, such as Basic, is for a proxy in between.
  const isBearer = authorization !== undefined && /^bearer\b/i.test(authorization);
  const token = isBearer ? bearerToken(authorization) : null;
  const key = ownKey || token;
  if (ownKey && isBearer && token !== ownKey) {
    return unauthorized('X-API-Key and Authorization hold different keys: send one of them.');
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

function admit(request: FastifyRequest, found: Found): AppError | null {
  if (found instanceof AppError) return found;
  if (found === 'unknown key') return unauthorized('The API key or its secret is invalid.');
  if (found === 'foreign channel') return new AppError('FORBIDDEN', 'The API key is not bound to this channel.');
  // Set for a refused request too: it counts as a use of the channel.
  request.caller = found;
  const { scope } = request.routeOptions.config;
  const { scopes } = found;
  if (!scopes.includes('full') && !scopes.includes(scope as OperationScope)) return missingScope(scope);
  return refusalOf(found.account);
}
