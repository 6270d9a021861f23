import type pg from 'pg';
import type { Metric } from '../../../platform/metrics/metric.js';
import { ShortCache } from '../../../platform/short-cache.js';
import { countUnmatchedByKind, type UnmatchedKind } from './kinds-store.js';

export function createUnmatchedMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  const cache = new ShortCache<UnmatchedKind[]>();
  return [
    {
      name: 'heliograph_reports_kept',
      help: 'Stored carrier reports that no handler has used, in the whole installation; counts at most 10000',
      type: 'gauge',
      aggregation: 'one',
      labels: ['kind'],
      read: async () =>
        (await cache.get('', () => countUnmatchedByKind(pool))).map(({ kind, reports }) => ({
          labels: { kind },
          value: reports,
        })),
    },
  ];
}
