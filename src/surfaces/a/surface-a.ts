import type { FastifyInstance } from 'fastify';
import type { Redis } from 'ioredis';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Authenticator } from '../../accounts/authenticator.js';
import { CachedWhatsappDirectory } from '../../features/channels/whatsapp-directory.js';
import type { Pricer } from '../../messages/accept/estimate.js';
import type { Clock } from '../../platform/clock.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { PhoneValidation } from '../../platform/text/phone-numbers.js';
import { type ErrorRenderer, useErrorShape } from '../http/errors.js';
import { rateLimits } from '../http/limits/rate-limits.js';
import type { SendAcceptor } from './accept-send.js';
import { bearerAuth } from './bearer-auth.js';
import { renderV1, renderV2 } from './errors.js';
import { routesMessages } from './routes-messages.js';
import { routesV1 } from './routes-v1.js';
import { routesV2 } from './routes-v2.js';

export interface SurfaceAOptions {
  log: Logger;
  pool: pg.Pool;
  prisma: PrismaClient;
  clock: Clock;
  authenticator: Pick<Authenticator, 'find'>;
  acceptor: SendAcceptor & Pricer;
  /** Where processes share the counts of rate limits; null: each counts for itself. */
  redis: Redis | null;
  smsCarrierName(): string;
  phoneValidation: PhoneValidation;
  /** Most characters of an SMS; 0: no limit. */
  smsMaxChars: number;
  /** Requests of one key in a second; 0: no limits. */
  rateLimitPerSecond: number;
  /** Prefix of the keys in Redis. */
  redisPrefix: string;
}

/** Surface A: `/v1.0` and `/v2`, each with the shape of its errors. */
export async function surfaceA(app: FastifyInstance, options: SurfaceAOptions): Promise<void> {
  const { log, pool, prisma, clock, authenticator, acceptor, redis, smsCarrierName, phoneValidation, smsMaxChars } =
    options;
  const shared = { acceptor, smsCarrierName, phoneValidation, smsMaxChars };

  // One count for both versions.
  await app.register(rateLimits, {
    perSecond: options.rateLimitPerSecond,
    redis,
    prefix: options.redisPrefix,
    keyOf: (request) => request.credential.keyId,
  });

  /** Unknown routes are 404 without a key, so authentication is a context further inside. */
  const version = (prefix: string, render: ErrorRenderer, routes: (inside: FastifyInstance) => void) =>
    app.register(
      async (outside) => {
        useErrorShape(outside, render, log);
        outside.register(async (inside) => {
          await inside.register(bearerAuth, { authenticator });
          routes(inside);
        });
      },
      { prefix },
    );

  version('/v1.0', renderV1, (inside) => inside.register(routesV1, { ...shared, prisma }));
  const directory = new CachedWhatsappDirectory(prisma);
  version('/v2', renderV2, (inside) => {
    inside.register(routesV2, { ...shared, clock, directory });
    inside.register(routesMessages, { prefix: '/messages', pool, prisma, clock });
  });
}
