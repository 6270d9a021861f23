import { type Metric, samplesBy } from '../../platform/metrics/metric.js';
import type { Maintenance } from './maintenance.js';

/** What housekeeping deleted. */
export function maintenanceMetrics(maintenance: Pick<Maintenance, 'deleted'>): Metric[] {
  return [
    {
      name: 'heliograph_rows_deleted_total',
      help: 'Rows that had served their time and were deleted by this process, by table',
      type: 'counter',
      labels: ['table'],
      read: () => samplesBy('table', maintenance.deleted),
    },
  ];
}
