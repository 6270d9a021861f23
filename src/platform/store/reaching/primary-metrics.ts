import type { Metric } from '../../metrics/metric.js';
import type { PrimaryFinder } from './primary-finder.js';

/** How the primary moved among several servers of the store; none where it has one. */
export function primaryMetrics(finder: Pick<PrimaryFinder, 'moves' | 'abandoned'> | null): Metric[] {
  if (!finder) return [];
  return [
    {
      name: 'heliograph_store_primary_moves_total',
      help: 'Times that another server was found to be the primary of the store than before',
      type: 'counter',
      read: () => [{ value: finder.moves }],
    },
    {
      name: 'heliograph_store_abandoned_connections_total',
      help: 'Connections that were ended because their server is no longer the primary of the store',
      type: 'counter',
      read: () => [{ value: finder.abandoned }],
    },
  ];
}
