import { type Metric, toSamples } from '../../platform/metrics/metric.js';
import type { Maintenance } from './maintenance.js';

export function maintenanceMetrics(maintenance: Pick<Maintenance, 'deleted' | 'monthsAhead'>): Metric[] {
  return [
    {
      name: 'heliograph_rows_deleted_total',
      help: 'Expired rows deleted by this process, by table',
      type: 'counter',
      labels: ['table'],
      read: () => toSamples('table', maintenance.deleted),
    },
    {
      name: 'heliograph_message_months_ahead',
      help: 'Monthly partitions of messages beyond the current month, if messages are partitioned',
      type: 'gauge',
      aggregation: 'one',
      read: () => (maintenance.monthsAhead === null ? [] : [{ value: maintenance.monthsAhead }]),
    },
  ];
}
