import { type Metric, toSamples } from '../../platform/metrics/metric.js';
import type { Maintenance } from './maintenance.js';

export function maintenanceMetrics(maintenance: Pick<Maintenance, 'deleted' | 'monthsAhead'>): Metric[] {
  return [
    {
      name: 'heliograph_rows_deleted_total',
      help: 'Rows deleted because of their age, by table',
      type: 'counter',
      labels: ['table'],
      read: () => toSamples('table', maintenance.deleted),
    },
    {
      name: 'heliograph_message_months_ahead',
      help: 'Installation, if messages are divided by months: future months that have a table; normally 3',
      type: 'gauge',
      aggregation: 'one',
      read: () => (maintenance.monthsAhead === null ? [] : [{ value: maintenance.monthsAhead }]),
    },
  ];
}
