import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../../accounts/authenticator.js';
import { API_VERSION } from '../../features/webhooks/twilio/statuses.js';
import { type ErrorRenderer, useErrorShape } from '../http/errors.js';
import { type KeyedSurfaceOptions, limitKeys } from '../http/limits/surface-limits.js';
import { basicAuth } from './basic-auth.js';
import { addImplied, requireOwnAccount } from './endpoint.js';
import { type AccountOptions, accountEndpoints } from './endpoints/account.js';
import { type FeedbackOptions, feedbackEndpoints } from './endpoints/feedback.js';
import { type MediaEndpointOptions, mediaEndpoints } from './endpoints/media.js';
import { type MessagesOptions, messagesEndpoints } from './endpoints/messages.js';
import { type VerifyOptions, verificationsEndpoints } from './endpoints/verifications.js';
import { renderTwilio, renderVerify } from './errors.js';
import { formBody } from './form-body.js';

export interface SurfaceTwilioOptions
  extends KeyedSurfaceOptions<
    AccountOptions & MessagesOptions & FeedbackOptions & MediaEndpointOptions & VerifyOptions
  > {
  authenticator: Pick<Authenticator, 'find'>;
}

/** Imitates Twilio's API, so that programs with Twilio's SDKs can use this server. */
export async function surfaceTwilio(app: FastifyInstance, options: SurfaceTwilioOptions): Promise<void> {
  const { authenticator, endpoints } = options;
  await limitKeys(app, options, (request) => request.twilioCredential.keyId);
  const registerApi = (
    prefix: string,
    render: ErrorRenderer,
    path: string,
    register: (authenticated: FastifyInstance) => void,
  ) => {
    const registerAuthenticated = async (authenticated: FastifyInstance) => {
      await authenticated.register(formBody);
      await authenticated.register(basicAuth, { authenticator });
      authenticated.addHook('onRoute', addImplied);
      register(authenticated);
    };
    const registerPublic = async (publicScope: FastifyInstance) => {
      useErrorShape(publicScope, render, options);
      publicScope.register(registerAuthenticated, { prefix: path });
    };
    app.register(registerPublic, { prefix });
  };
  registerApi(`/${API_VERSION}`, renderTwilio, '/Accounts/:AccountSid', (authenticated) => {
    // The account is checked before the body is read, so that a missing resource gets its own error even if the body is
    // invalid.
    authenticated.addHook('onRequest', requireOwnAccount);
    authenticated.register(accountEndpoints, endpoints);
    authenticated.register(messagesEndpoints, endpoints);
    authenticated.register(feedbackEndpoints, endpoints);
    authenticated.register(mediaEndpoints, endpoints);
  });
  registerApi('/v2/Services', renderVerify, '/:ServiceSid', (authenticated) => {
    authenticated.register(verificationsEndpoints, endpoints);
  });
}
