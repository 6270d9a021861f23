import type { Metric } from '../../metrics/metric.js';
import type { MeasuredPool } from './pool.js';

export function createPoolMetrics(pools: Readonly<Record<string, MeasuredPool>>): Metric[] {
  const entries = Object.entries(pools);
  return [
    {
      name: 'heliograph_db_pool_connections',
      help: 'Open connections to PostgreSQL, idle or in_use, by pool',
      type: 'gauge',
      labels: ['pool', 'state'],
      read: () =>
        entries.flatMap(([pool, { totalCount, idleCount }]) => [
          { labels: { pool, state: 'in_use' }, value: totalCount - idleCount },
          { labels: { pool, state: 'idle' }, value: idleCount },
        ]),
    },
    {
      name: 'heliograph_db_pool_max_connections',
      help: 'Maximum number of connections of a pool',
      type: 'gauge',
      labels: ['pool'],
      read: () => entries.map(([pool, { options }]) => ({ labels: { pool }, value: options.max ?? 0 })),
    },
    {
      name: 'heliograph_db_pool_waiting',
      help: 'Statements that wait for a connection of a pool',
      type: 'gauge',
      labels: ['pool'],
      read: () => entries.map(([pool, { waitingCount }]) => ({ labels: { pool }, value: waitingCount })),
    },
    {
      name: 'heliograph_db_pool_wait_seconds',
      help: 'How long a statement or transaction waited until it got a connection of the pool, or gave up',
      type: 'histogram',
      labels: ['pool'],
      read: () => entries.map(([pool, { waits }]) => ({ labels: { pool }, histogram: waits })),
    },
  ];
}
