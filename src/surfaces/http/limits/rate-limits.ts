import rateLimit, { type FastifyRateLimitStore, normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { AppError } from '../../../platform/errors/app-error.js';
import type { LocalWindows } from './local-windows.js';
import type { SharedWindows } from './shared-windows.js';

/** Failed authentications that one address may make in a second. */
const FAILED_PER_SECOND = 20;

/** Counts a failed authentication; resolves to a 429 once its address has made too many. */
export type FailureLimiter = (request: FastifyRequest) => Promise<{ error: AppError; retryAfter: number } | null>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Null where rate limits are off. */
    limitFailures: FailureLimiter | null;
  }
}

/** Counts in Redis, which several processes share, or those of this process alone. */
export type Windows = LocalWindows | SharedWindows;

export interface RateLimitOptions {
  /** Requests of one key in a second; 0 switches every limit off. */
  perSecond: number;
  /** Where it is counted: one for all surfaces, for a key may be good for several of them. */
  windows: Windows;
  /** Whom a request counts for. */
  keyOf(request: FastifyRequest): string;
}

/**
 * Limits each key's requests to the endpoints of this context, and the failed authentications of each address. It counts
 * after authentication, so one caller's flood of bad keys takes nothing from another's good one.
 */
export const rateLimits = plugin(
  async (app: FastifyInstance, { perSecond, windows, keyOf }: RateLimitOptions) => {
    if (perSecond === 0) {
      app.decorate('limitFailures', null);
      return;
    }
    await app.register(rateLimit, {
      max: perSecond,
      timeWindow: 1000,
      hook: 'onRequest',
      keyGenerator: keyOf,
      store: storeOf(windows),
      // When Redis fails, requests pass.
      skipOnError: true,
      errorResponseBuilder: () => tooMany('Too many requests with this key.'),
    });
    const count = app.createRateLimit({ max: FAILED_PER_SECOND, timeWindow: 1000, keyGenerator: failureKey });
    app.decorate('limitFailures', async (request: FastifyRequest) => {
      const counted = await count(request);
      if (counted.isAllowed || !counted.isExceeded) return null;
      return {
        error: tooMany('Too many failed authentications from this address.'),
        retryAfter: Math.max(1, counted.ttlInSeconds),
      };
    });
  },
  { name: 'rate-limits' },
);

/** The plugin makes its store itself, and passes it nothing of ours. */
function storeOf(windows: Windows) {
  return class implements FastifyRateLimitStore {
    incr(...[key, answer, timeWindow]: Parameters<FastifyRateLimitStore['incr']>): void {
      windows.incr(key, answer, timeWindow);
    }

    child(): Windows {
      return windows.child();
    }
  };
}

function tooMany(message: string): AppError {
  return new AppError('RATE_LIMITED', message);
}

function failureKey(request: FastifyRequest): string {
  return `failed:${addressOf(request)}`;
}

/** One network of IPv6 (/64) is one address: its owner could else use each of its addresses in turn. */
export function addressOf({ ip }: FastifyRequest): string {
  return normalizeIP(ip, 64);
}
