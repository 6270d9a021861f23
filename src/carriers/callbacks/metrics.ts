import type pg from 'pg';
import { createStoreGauges, type Metric } from '../../platform/metrics/metric.js';
import { countPendingCallbacks } from './pending-store.js';

export function createCallbackMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  return createStoreGauges(() => countPendingCallbacks(pool), {
    heliograph_callbacks_waiting: [
      'Stored carrier callbacks that are not yet processed, in the whole installation; counts at most 10000',
      ({ waiting }) => waiting,
    ],
    heliograph_callbacks_oldest_age_seconds: [
      'Age of the oldest unprocessed callback; 0 if there is none',
      ({ oldestSeconds }) => oldestSeconds,
    ],
    heliograph_callbacks_set_aside: [
      'Callbacks that could not be processed and were set aside for an operator',
      ({ setAside }) => setAside,
    ],
  });
}
