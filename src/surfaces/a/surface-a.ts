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

  // Both versions share one limit.
  await limitKeys(app, options, (request) => request.credential.keyId);

  /** Unknown paths get 404 even without a key, so authentication belongs to an inner context. */
  const version = (prefix: string, render: ErrorRenderer, register: (inside: FastifyInstance) => void) =>
    app.register(
      async (outside) => {
        useErrorShape(outside, render, options);
        outside.register(async (inside) => {
          await inside.register(bearerAuth, { authenticator });
          register(inside);
        });
      },
      { prefix },
    );

  version('/v1.0', renderV1, (inside) => {
    inside.register(endpointsV1, endpoints);
    inside.register(statusAndBalance, { ...endpoints, version: 1 });
  });
  version('/v2', renderV2, (inside) => {
    inside.register(endpointsV2, endpoints);
    inside.register(statusAndBalance, { ...endpoints, version: 2 });
    inside.register(endpointsMessages, { ...endpoints, prefix: '/messages' });
    inside.register(endpointsCallbacks, endpoints);
    inside.register(endpointsInbound, endpoints);
    inside.register(endpointsChanges, endpoints);
    inside.register(endpointsVerifications, { ...endpoints, prefix: '/verifications' });
    inside.register(endpointsWebhooks, { ...endpoints, prefix: '/webhooks' });
  });
}
