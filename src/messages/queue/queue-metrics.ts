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
      help: 'Messages of the installation that are due or waiting for a retry, by lane; at most 20000 of each priority are examined',
      type: 'gauge',
      aggregation: 'one',
      labels: ['lane'],
      read: async () => (await depths()).map(({ lane, waiting }) => ({ labels: { lane }, value: waiting })),
    },
    {
      name: 'heliograph_queue_oldest_age_seconds',
      help: 'Age of the oldest waiting message, by lane; 0 if there is none',
      type: 'gauge',
      aggregation: 'one',
      labels: ['lane'],
      read: async () =>
        (await depths()).map(({ lane, oldestMs }) => ({ labels: { lane }, value: oldestMs / MS_PER_SECOND })),
    },
    {
      name: 'heliograph_queue_up',
      help: '1 if the queue answered the last request of this process, else 0. Without it, messages are sent later',
      type: 'gauge',
      read: () => [{ value: hints.checkState() === 'up' ? 1 : 0 }],
    },
  ];
}
