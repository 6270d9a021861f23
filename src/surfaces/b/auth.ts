import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import type {
  ChannelAuthentication,
  ChannelAuthenticator,
  ChannelCaller,
} from '../../accounts/channel-authenticator.js';
import type { OperationScope } from '../../accounts/keys.js';
import { AppError } from '../../platform/errors.js';

/** Names the headers that a caller must send, for want of a registered scheme (RFC 9110 §11.6.1). */
const CHALLENGE = 'ApiKey headers="X-API-Key, X-API-Secret, X-Channel-Id"';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request; set on every authenticated route of Surface B. */
    caller: ChannelCaller;
  }
  interface FastifyContextConfig {
    /** What a route of Surface B asks of a key, unless the key has `full`. */
    scope?: OperationScope;
  }
}

/**
 * Lets a request pass that carries `X-API-Key`, `X-API-Secret` and `X-Channel-Id` of a key that is bound to the channel
 * and has the route's scope. It runs before the body is read. A route without a scope fails at start.
 */
export const channelAuth = plugin(
  async (app: FastifyInstance, { authenticator }: { authenticator: Pick<ChannelAuthenticator, 'find'> }) => {
    app.decorateRequest('caller', null as unknown as ChannelCaller);
    app.addHook('onRoute', ({ config, method, url }) => {
      if (!config?.scope) throw new Error(`${method} ${url} names no scope`);
    });
    app.addHook('onRequest', (request, reply, done) => {
      const settle = (found: ChannelAuthentication) => {
        const refusal = admit(request, found);
        if (refusal) refuse(app, request, reply, refusal).then(done, done);
        else done();
      };
      const found = authentication(request, authenticator);
      if (found instanceof Promise) found.then(settle, (cause: unknown) => done(unavailable(cause)));
      else settle(found);
    });
  },
  { name: 'channel-auth', dependencies: ['rate-limits'] },
);

function authentication({ headers }: FastifyRequest, authenticator: Pick<ChannelAuthenticator, 'find'>) {
  const key = headers['x-api-key'];
  const secret = headers['x-api-secret'];
  const channelId = headers['x-channel-id'];
  const complete = typeof key === 'string' && typeof secret === 'string' && typeof channelId === 'string';
  return complete && key && secret && channelId ? authenticator.find(key, secret, channelId) : 'unknown key';
}

/** Makes the caller known; the error that answers the request instead, if it may not pass. */
function admit(request: FastifyRequest, found: ChannelAuthentication): AppError | null {
  if (found === 'unknown key') {
    return new AppError('UNAUTHORIZED', 'X-API-Key, X-API-Secret or X-Channel-Id is missing, or the key is invalid.');
  }
  if (found === 'foreign channel') return new AppError('FORBIDDEN', 'The API key is not bound to this channel.');
  request.caller = found;
  const { scope } = request.routeOptions.config;
  const { scopes } = found;
  if (scopes.includes('full') || scopes.includes(scope as OperationScope)) return null;
  return new AppError('FORBIDDEN', `The API key does not have the scope ${scope}.`);
}

/** The error that answers a refused request: past the limit of its address a 429 in place of the 401. */
async function refuse(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: AppError,
): Promise<AppError> {
  if (refusal.code !== 'UNAUTHORIZED') return refusal;
  reply.header('www-authenticate', CHALLENGE);
  const limit = await app.limitFailures?.(request);
  if (!limit) return refusal;
  reply.removeHeader('www-authenticate');
  reply.header('retry-after', limit.retryAfter);
  return limit.error;
}

function unavailable(cause: unknown): AppError {
  return new AppError('UNAVAILABLE', 'The API key cannot be checked at the moment.', [], { cause });
}
