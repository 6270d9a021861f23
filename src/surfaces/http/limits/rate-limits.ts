import rateLimit, { type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../../platform/errors/app-error.js';
import type { LocalWindows } from './local-windows.js';
import type { SharedWindows } from './shared-windows.js';

/** Maximum failed authentications per address and second. */
const FAILED_PER_SECOND = 20;

/** Resolves to a 429 error once authentication has failed too often from the request's address. */
export type FailureLimiter = (request: FastifyRequest) => Promise<{ error: AppError; retryAfter: number } | null>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Limiter of failed authentications, or null if rate limits are off. */
    limitFailures: FailureLimiter | null;
  }
}

export type Windows = LocalWindows | SharedWindows;

export interface RateLimitOptions {
  /** Maximum requests per second and key, where 0 turns all limits off. */
  perSecond: number;
  /** Windows shared by all surfaces, because one key may be valid for several surfaces. */
  windows: Windows;
  toKey(request: FastifyRequest): string;
}

/** Requests are counted after authentication, so that a flood of invalid keys does not use up another caller's limit. */
export const rateLimits = plugin(
  async (app: FastifyInstance, { perSecond, windows, toKey }: RateLimitOptions) => {
    if (perSecond === 0) {
      app.decorate('limitFailures', null);
      return;
    }
    await app.register(rateLimit, {
      max: perSecond,
      timeWindow: 1000,
      hook: 'onRequest',
      keyGenerator: toKey,
      store: createStoreClass(windows),
      // Requests are not limited while Redis is unavailable.
      skipOnError: true,
      errorResponseBuilder: () => tooManyRequests('Too many requests with this key.'),
    });
    const count = app.createRateLimit({ max: FAILED_PER_SECOND, timeWindow: 1000, keyGenerator: toFailureKey });
    app.decorate('limitFailures', async (request: FastifyRequest) => {
      const result = await count(request);
      if (result.isAllowed || !result.isExceeded) return null;
      return {
        error: tooManyRequests('Too many failed authentications from this address.'),
        retryAfter: Math.max(1, result.ttlInSeconds),
      };
    });
  },
  { name: 'rate-limits' },
);

/** Returns a class bound to `windows`, because the plugin constructs its store without arguments. */
function createStoreClass(windows: Windows) {
  return class implements FastifyRateLimitStore {
    incr(...[key, callback, timeWindow]: Parameters<FastifyRateLimitStore['incr']>): void {
      windows.incr(key, callback, timeWindow);
    }

    child(): Windows {
      return windows.child();
    }
  };
}

function tooManyRequests(message: string): AppError {
  return new AppError('RATE_LIMITED', message);
}

function toFailureKey(request: FastifyRequest): string {
  return `failed:${clientAddress(request)}`;
}

/** An IPv6 /64 network counts as one address, because a single client can use all of it. */
export function clientAddress({ ip }: FastifyRequest): string {
  return normalizeIP(ip, 64);
}
