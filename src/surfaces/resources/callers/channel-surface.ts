import type { Redis } from 'ioredis';
import type { UsageLog } from '../../../features/usage/usage-log.js';
import type { Clock } from '../../../platform/clock.js';
import type { ErrorOptions } from '../../http/errors.js';

/** What a surface needs whose callers have a key of a channel. */
export interface ChannelSurfaceOptions<EndpointOptions> extends ErrorOptions {
  usage: Pick<UsageLog, 'record'>;
  clock: Clock;
  /** Called after a request that may have queued events for webhooks. */
  wakeDeliverer(): void;
  /** Told of an account when a request may have changed something of it. */
  changed(accountId: string): void;
  /** Where processes share the counts of rate limits; null: each counts for itself. */
  redis: Redis | null;
  /** Requests of one key in a second; 0: no limits. */
  rateLimitPerSecond: number;
  /** Prefix of the keys in Redis. */
  redisPrefix: string;
  /** What its endpoints need. */
  endpoints: EndpointOptions;
}
