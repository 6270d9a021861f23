import type pg from 'pg';
import type { Metric } from '../../platform/metrics/metric.js';
import { ShortCache } from '../../platform/short-cache.js';
import { type LaneDepth, readLaneDepths } from './depth-store.js';
import type { SendHints } from './send-hints.js';

const MS_PER_SECOND = 1000;

export function queueMetrics({ pool, hints }: { pool: pg.Pool; hints: Pick<SendHints, 'checkState'> }): Metric[] {
  const cache = new ShortCache<LaneDepth[]>();
  const depths = () => cache.get('', () => readLaneDepths(pool));
  return [
    {
      name: 'heliograph_queue_messages',
      help: 'Installation: messages that are due or wait for a retry, by lane; at most 20,000 of each priority are counted',
      type: 'gauge',
      aggregation: 'one',
      labels: ['lane'],
      read: async () => (await depths()).map(({ lane, waiting }) => ({ labels: { lane }, value: waiting })),
    },
    {
      name: 'heliograph_queue_oldest_age_seconds',
      help: 'How long the oldest due message has waited, by lane; 0 if there is none',
      type: 'gauge',
      aggregation: 'one',
      labels: ['lane'],
      read: async () =>
        (await depths()).map(({ lane, oldestMs }) => ({ labels: { lane }, value: oldestMs / MS_PER_SECOND })),
    },
    {
      name: 'heliograph_queue_up',
      help: '1 if the queue (Redis, or BullMQ in the store) answered the last request of this process, otherwise 0',
      type: 'gauge',
      read: () => [{ value: hints.checkState() === 'up' ? 1 : 0 }],
    },
  ];
}
