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

/** Imitates Twilio, so that programs with its SDKs work here. */
export async function surfaceTwilio(app: FastifyInstance, options: SurfaceTwilioOptions): Promise<void> {
  const { authenticator, endpoints } = options;
  await limitKeys(app, options, (request) => request.twilioCredential.keyId);
  const api = (prefix: string, render: ErrorRenderer, path: string, register: (inside: FastifyInstance) => void) => {
    const keyed = async (inside: FastifyInstance) => {
      await inside.register(formBody);
      await inside.register(basicAuth, { authenticator });
      inside.addHook('onRoute', addImplied);
      register(inside);
    };
    const open = async (outside: FastifyInstance) => {
      useErrorShape(outside, render, options);
      outside.register(keyed, { prefix: path });
    };
    app.register(open, { prefix });
  };
  api(`/${API_VERSION}`, renderTwilio, '/Accounts/:AccountSid', (inside) => {
    // Before the body is read, so that an invalid body does not hide a missing resource.
    inside.addHook('onRequest', requireOwnAccount);
    inside.register(accountEndpoints, endpoints);
    inside.register(messagesEndpoints, endpoints);
    inside.register(feedbackEndpoints, endpoints);
    inside.register(mediaEndpoints, endpoints);
  });
  api('/v2/Services', renderVerify, '/:ServiceSid', (inside) => {
    inside.register(verificationsEndpoints, endpoints);
  });
}
