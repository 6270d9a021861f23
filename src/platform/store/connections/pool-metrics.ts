import type { Metric } from '../../metrics/metric.js';
import type { MeasuredPool } from './pool.js';

/** How the pools of a process are used, by a name for each. */
export function poolMetrics(pools: Readonly<Record<string, MeasuredPool>>): Metric[] {
  const each = Object.entries(pools);
  return [
    {
      name: 'heliograph_db_pool_connections',
      help: 'Connections to PostgreSQL that are open, by what they do',
      type: 'gauge',
      labels: ['pool', 'state'],
      read: () =>
        each.flatMap(([pool, { totalCount, idleCount }]) => [
          { labels: { pool, state: 'in_use' }, value: totalCount - idleCount },
          { labels: { pool, state: 'idle' }, value: idleCount },
        ]),
    },
    {
      name: 'heliograph_db_pool_max_connections',
      help: 'Connections to PostgreSQL that a pool may open',
      type: 'gauge',
      labels: ['pool'],
      read: () => each.map(([pool, { options }]) => ({ labels: { pool }, value: options.max ?? 0 })),
    },
    {
      name: 'heliograph_db_pool_waiting',
      help: 'Statements that wait for a free connection of a pool',
      type: 'gauge',
      labels: ['pool'],
      read: () => each.map(([pool, { waitingCount }]) => ({ labels: { pool }, value: waitingCount })),
    },
    {
      name: 'heliograph_db_pool_wait_seconds',
      help: 'Time until a statement or a transaction has a connection of its pool, or gives up',
      type: 'histogram',
      labels: ['pool'],
      read: () => each.map(([pool, { waits }]) => ({ labels: { pool }, spread: waits })),
    },
  ];
}
