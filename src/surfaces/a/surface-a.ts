import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../../accounts/authenticator.js';
import { type ErrorRenderer, useErrorShape } from '../http/errors.js';
import { type KeyedSurfaceOptions, limitKeys } from '../http/limits/surface-limits.js';
import { bearerAuth } from './bearer-auth.js';
import { type CallbackEndpointsOptions, endpointsCallbacks } from './endpoints/callbacks.js';
import { type ChangesOptions, endpointsChanges } from './endpoints/changes.js';
import { endpointsInbound, type InboundOptions } from './endpoints/inbound.js';
import { endpointsMessages, type MessageEndpointsOptions } from './endpoints/messages.js';
import { type StatusAndBalanceOptions, statusAndBalance } from './endpoints/status-and-balance.js';
import { type EndpointsV1Options, endpointsV1 } from './endpoints/v1.js';
import { type EndpointsV2Options, endpointsV2 } from './endpoints/v2.js';
import { endpointsVerifications, type VerificationOptions } from './endpoints/verifications/verifications.js';
import { type AccountWebhookOptions, endpointsWebhooks } from './endpoints/webhooks/webhooks.js';
import { renderV1, renderV2 } from './errors.js';

type EndpointOptions = EndpointsV1Options &
  StatusAndBalanceOptions &
  EndpointsV2Options &
  MessageEndpointsOptions &
  AccountWebhookOptions &
  CallbackEndpointsOptions &
  InboundOptions &
  ChangesOptions &
  VerificationOptions;

export interface SurfaceAOptions extends KeyedSurfaceOptions<EndpointOptions> {
  authenticator: Pick<Authenticator, 'find'>;
}

export async function surfaceA(app: FastifyInstance, options: SurfaceAOptions): Promise<void> {
  const { authenticator, endpoints } = options;

  // The rate limit is registered here, so that both versions of the API share it.
  await limitKeys(app, options, (request) => request.credential.keyId);

  /** Unknown paths get 404 even without a key, so keys are checked only in an inner context. */
  const registerVersion = (prefix: string, render: ErrorRenderer, register: (authenticated: FastifyInstance) => void) =>
    app.register(
      async (publicScope) => {
        useErrorShape(publicScope, render, options);
        publicScope.register(async (authenticated) => {
          await authenticated.register(bearerAuth, { authenticator });
          register(authenticated);
        });
      },
      { prefix },
    );

  registerVersion('/v1.0', renderV1, (authenticated) => {
    authenticated.register(endpointsV1, endpoints);
    authenticated.register(statusAndBalance, { ...endpoints, version: 1 });
  });
  registerVersion('/v2', renderV2, (authenticated) => {
    authenticated.register(endpointsV2, endpoints);
    authenticated.register(statusAndBalance, { ...endpoints, version: 2 });
    authenticated.register(endpointsMessages, { ...endpoints, prefix: '/messages' });
    authenticated.register(endpointsCallbacks, endpoints);
    authenticated.register(endpointsInbound, endpoints);
    authenticated.register(endpointsChanges, endpoints);
    authenticated.register(endpointsVerifications, { ...endpoints, prefix: '/verifications' });
    authenticated.register(endpointsWebhooks, { ...endpoints, prefix: '/webhooks' });
  });
}
