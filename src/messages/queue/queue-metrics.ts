import type pg from 'pg';
import type { Metric } from '../../platform/metrics/metric.js';
import { ShortCache } from '../../platform/short-cache.js';
import { type LaneDepth, readLaneDepths } from './depth-store.js';
import type { SendHints } from './send-hints.js';

const MS_PER_SECOND = 1000;

/** What waits to be sent, in the whole installation. */
export function queueMetrics({ pool, hints }: { pool: pg.Pool; hints: Pick<SendHints, 'state'> }): Metric[] {
  const cache = new ShortCache<LaneDepth[]>();
  const depths = () => cache.get('', () => readLaneDepths(pool));
  return [
    {
      name: 'heliograph_queue_messages',
      help: 'Messages of the installation that are due or wait for another try, by lane; at most 20000 of each priority are looked at',
      type: 'gauge',
      across: 'one',
      labels: ['lane'],
      read: async () => (await depths()).map(({ lane, waiting }) => ({ labels: { lane }, value: waiting })),
    },
    {
      name: 'heliograph_queue_oldest_age_seconds',
      help: 'Since when the oldest of them waits, by lane; 0 where none does',
      type: 'gauge',
      across: 'one',
      labels: ['lane'],
      read: async () =>
        (await depths()).map(({ lane, oldestMs }) => ({ labels: { lane }, value: oldestMs / MS_PER_SECOND })),
    },
    {
      name: 'heliograph_queue_up',
      help: 'Whether the queue answered this process last: 1, or 0. Messages are accepted and sent without it, only later',
      type: 'gauge',
      read: () => [{ value: hints.state() === 'up' ? 1 : 0 }],
    },
  ];
}
