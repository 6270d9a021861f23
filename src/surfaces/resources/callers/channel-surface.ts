import type { UsageLog } from '../../../features/usage/usage-log.js';
import type { Clock } from '../../../platform/clock.js';
import type { KeyedSurfaceOptions } from '../../http/limits/surface-limits.js';

export interface ChannelSurfaceOptions<EndpointOptions> extends KeyedSurfaceOptions<EndpointOptions> {
  usage: Pick<UsageLog, 'record'>;
  clock: Clock;
  /** Called after a request that may have queued events for webhooks. */
  wakeDeliverer(): void;
  onChange(accountId: string): void;
}
