import type pg from 'pg';
import type { Metric } from '../../../platform/metrics/metric.js';
import { ShortCache } from '../../../platform/short-cache.js';
import { type KeptKind, readKeptKinds } from './kinds-store.js';

/** What carriers reported and is kept, because no version yet has used it. */
export function keptMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  const cache = new ShortCache<KeptKind[]>();
  return [
    {
      name: 'heliograph_reports_kept',
      help: 'Reports of carriers that the installation keeps because this version does not use them; at most 10000 are looked at',
      type: 'gauge',
      across: 'one',
      labels: ['kind'],
      read: async () =>
        (await cache.get('', () => readKeptKinds(pool))).map(({ kind, reports }) => ({
          labels: { kind },
          value: reports,
        })),
    },
  ];
}
