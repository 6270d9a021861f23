import type { Metric } from '../../metrics/metric.js';
import type { PrimaryFinder } from './primary-finder.js';

export function createPrimaryMetrics(finder: Pick<PrimaryFinder, 'moves' | 'abandonedCount'> | null): Metric[] {
  if (!finder) return [];
  return [
    {
      name: 'heliograph_store_primary_moves_total',
      help: 'Changes of the primary server of the store',
      type: 'counter',
      read: () => [{ value: finder.moves }],
    },
    {
      name: 'heliograph_store_abandoned_connections_total',
      help: 'Connections closed because their server is no longer the primary of the store',
      type: 'counter',
      read: () => [{ value: finder.abandonedCount }],
    },
  ];
}
