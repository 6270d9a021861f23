import { type Metric, samplesBy } from '../../platform/metrics/metric.js';
import type { Maintenance } from './maintenance.js';

/** What housekeeping deleted and made. */
export function maintenanceMetrics(maintenance: Pick<Maintenance, 'deleted' | 'monthsAhead'>): Metric[] {
  return [
    {
      name: 'heliograph_rows_deleted_total',
      help: 'Rows that had served their time and were deleted by this process, by table',
      type: 'counter',
      labels: ['table'],
      read: () => samplesBy('table', maintenance.deleted),
    },
    {
      name: 'heliograph_message_months_ahead',
      help: 'Months beyond the present one that have a table of messages, where they are divided by months',
      type: 'gauge',
      across: 'one',
      read: () => (maintenance.monthsAhead === null ? [] : [{ value: maintenance.monthsAhead }]),
    },
  ];
}
