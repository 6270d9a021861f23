import type { FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import type { Authenticator } from '../../accounts/authenticator.js';
import { API_VERSION } from '../../features/webhooks/twilio/statuses.js';
import { type ErrorOptions, useErrorShape } from '../http/errors.js';
import { rateLimits } from '../http/limits/rate-limits.js';
import { basicAuth } from './basic-auth.js';
import { addImplied, requireOwnAccount } from './endpoint.js';
import { type MessagesOptions, messagesEndpoints } from './endpoints/messages.js';
import { renderTwilio } from './errors.js';
import { formBody } from './form-body.js';

export interface SurfaceTwilioOptions extends ErrorOptions {
  authenticator: Pick<Authenticator, 'find'>;
  /** Where processes share the counts of rate limits; null: each counts for itself. */
  redis: Redis | null;
  /** Requests of one key in a second; 0: no limits. */
  rateLimitPerSecond: number;
  /** Prefix of the keys in Redis. */
  redisPrefix: string;
  /** What its endpoints need. */
  endpoints: MessagesOptions;
}

/**
 * Twilio's surface: `/2010-04-01/Accounts/{AccountSid}/Messages` as Twilio's REST API has it, so that what was written for its
 * SDKs runs here. It translates onto the use cases of Surface A, and knows no way of its own to accept or to send.
 */
export async function surfaceTwilio(app: FastifyInstance, options: SurfaceTwilioOptions): Promise<void> {
  const { authenticator, redis, endpoints } = options;
  await app.register(rateLimits, {
    perSecond: options.rateLimitPerSecond,
    redis,
    prefix: options.redisPrefix,
    keyOf: (request) => request.twilioCredential.keyId,
  });
  /** Unknown paths are 404 without a key, so authentication is a context further inside. */
  app.register(
    async (outside) => {
      useErrorShape(outside, renderTwilio, options);
      outside.register(
        async (inside) => {
          await inside.register(formBody);
          await inside.register(basicAuth, { authenticator });
          inside.addHook('onRoute', addImplied);
          // Before the body is read: whatever is wrong with it matters less than that nothing is there.
          inside.addHook('onRequest', requireOwnAccount);
          inside.register(messagesEndpoints, endpoints);
        },
        { prefix: '/Accounts/:AccountSid' },
      );
    },
    { prefix: `/${API_VERSION}` },
  );
}
