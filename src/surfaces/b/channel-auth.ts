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
import { authenticate, missingScope } from '../http/authentication.js';
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
 * and has the endpoint's scope. An endpoint without a scope fails at start.
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

function findCaller({ headers }: FastifyRequest, authenticator: Pick<ChannelAuthenticator, 'find'>) {
  const key = headers['x-api-key'];
  const secret = headers['x-api-secret'];
  const channelId = headers['x-channel-id'];
  const complete = typeof key === 'string' && typeof secret === 'string' && typeof channelId === 'string';
  return complete && key && secret && channelId ? authenticator.find(key, secret, channelId) : 'unknown key';
}

function admit(request: FastifyRequest, found: ChannelAuthentication): AppError | null {
  if (found === 'unknown key') {
    return new AppError('UNAUTHORIZED', 'X-API-Key, X-API-Secret or X-Channel-Id is missing, or the key is invalid.');
  }
  if (found === 'foreign channel') return new AppError('FORBIDDEN', 'The API key is not bound to this channel.');
  // Set for a refused request too: it counts as a use of the channel.
  request.caller = found;
  const { scope } = request.routeOptions.config;
  const { scopes } = found;
  if (!scopes.includes('full') && !scopes.includes(scope as OperationScope)) return missingScope(scope);
  return refusalOf(found.account);
}
