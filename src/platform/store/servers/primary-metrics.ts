import type { Metric } from '../../metrics/metric.js';
import type { PrimaryFinder } from './primary-finder.js';

export function createPrimaryMetrics(finder: Pick<PrimaryFinder, 'moves' | 'abandonedCount'> | null): Metric[] {
  if (!finder) return [];
  return [
    {
      name: 'heliograph_store_primary_moves_total',
      help: 'With several servers in DATABASE_URL: how often the primary changed, counted by each process',
      type: 'counter',
      read: () => [{ value: finder.moves }],
    },
    {
      name: 'heliograph_store_abandoned_connections_total',
      help: 'With several servers in DATABASE_URL: connections that were closed because their server is no longer the primary',
      type: 'counter',
      read: () => [{ value: finder.abandonedCount }],
    },
  ];
}
