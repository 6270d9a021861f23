import type { FastifyInstance } from 'fastify';
import type { ChannelAuthenticator, ChannelCaller } from '../../accounts/channel-authenticator.js';
import type { OperationScope } from '../../accounts/keys.js';
import { useErrorShape } from '../http/errors.js';
import { limitKeys } from '../http/limits/surface-limits.js';
import type { ChannelSurfaceOptions } from '../resources/callers/channel-surface.js';
import { countUsage } from '../resources/callers/count-usage.js';
import { addImplied, type Endpoints } from './endpoint.js';
import { type MediaOptions, mediaEndpoints } from './endpoints/media.js';
import { type MessageOptions, messageEndpoints } from './endpoints/messages.js';
import { type NumberEndpointOptions, numberEndpoints } from './endpoints/numbers.js';
import { type ObjectEndpointOptions, objectEndpoints } from './endpoints/objects.js';
import { type ProfileEndpointOptions, profileEndpoints } from './endpoints/profiles.js';
import { type SubscriptionOptions, subscriptionEndpoints } from './endpoints/subscriptions.js';
import { type TemplateOptions, templateEndpoints } from './endpoints/templates.js';
import { tokenEndpoints } from './endpoints/tokens.js';
import { renderGraph } from './errors.js';
import { actFor, findAccountChannels, findNumber, objectNotFound } from './objects.js';
import { tokenAuth } from './token-auth.js';

type EndpointOptions = MessageOptions &
  TemplateOptions &
  MediaOptions &
  ObjectEndpointOptions &
  NumberEndpointOptions &
  ProfileEndpointOptions &
  SubscriptionOptions;

const RESOURCES: readonly Endpoints<EndpointOptions & Pick<SurfaceGraphOptions, 'authenticator'>>[] = [
  messageEndpoints,
  templateEndpoints,
  mediaEndpoints,
  numberEndpoints,
  profileEndpoints,
  objectEndpoints,
  subscriptionEndpoints,
  tokenEndpoints,
];

export interface SurfaceGraphOptions extends ChannelSurfaceOptions<EndpointOptions> {
  authenticator: Pick<ChannelAuthenticator, 'findToken'>;
}

/** Imitates Meta's Graph API for WhatsApp, so that clients of the Cloud API can use this server. */
export async function surfaceGraph(app: FastifyInstance, options: SurfaceGraphOptions): Promise<void> {
  const { authenticator, usage, clock, endpoints } = options;
  await limitKeys(app, options, (request) => request.channelKey.keyId);
  app.register(
    async (publicScope) => {
      useErrorShape(publicScope, renderGraph, options);
      publicScope.register(
        async (authenticated) => {
          await authenticated.register(countUsage, { usage, clock });
          authenticated.decorateRequest('caller', null as unknown as ChannelCaller);
          await authenticated.register(tokenAuth, { authenticator });
          authenticated.addHook('onRoute', addImplied);
          // The object is looked up before the body is read, so that a missing object gets its own error even if the body is
          // invalid.
          authenticated.addHook('onRequest', async (request) => {
            const { graphObject, graphScope } = request.routeOptions.config;
            const [id = ''] = Object.entries(request.params as Record<string, string>).flatMap(([name, value]) =>
              name === 'version' ? [] : [value],
            );
            if (graphObject === undefined) return;
            const caller =
              graphObject === 'number'
                ? findNumber(request, id)
                : (await findAccountChannels(endpoints, request, id)).at(0);
            if (!caller) throw objectNotFound(id);
            actFor(request, caller, graphScope as OperationScope);
          });
          authenticated.addHook('onResponse', (request, reply, done) => {
            if (request.method !== 'GET' && reply.statusCode < 400 && request.caller) {
              options.wakeDeliverer();
              options.onChange(request.caller.account.id);
            }
            done();
          });
          for (const resource of RESOURCES) authenticated.register(resource, { ...endpoints, authenticator });
        },
        { prefix: '/:version' },
      );
    },
    { prefix: '/graph' },
  );
}
