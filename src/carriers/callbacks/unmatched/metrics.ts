import type pg from 'pg';
import type { Metric } from '../../../platform/metrics/metric.js';
import { ShortCache } from '../../../platform/short-cache.js';
import { countUnmatchedByKind, type UnmatchedKind } from './kinds-store.js';

export function createUnmatchedMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  const cache = new ShortCache<UnmatchedKind[]>();
  return [
    {
      name: 'heliograph_reports_kept',
      help: 'Installation: unmatched reports of carriers, by kind; at most 10,000 are counted, and beyond 20 kinds the rest is other',
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
