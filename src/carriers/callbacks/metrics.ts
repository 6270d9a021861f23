import type pg from 'pg';
import { createStoreGauges, type Metric } from '../../platform/metrics/metric.js';
import { countPendingCallbacks } from './pending-store.js';

export function createCallbackMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  return createStoreGauges(() => countPendingCallbacks(pool), {
    heliograph_callbacks_waiting: [
      'Installation: stored callbacks of carriers that are not processed yet; at most 10,000 are counted',
      ({ waiting }) => waiting,
    ],
    heliograph_callbacks_oldest_age_seconds: [
      'How long the oldest callback has waited to be processed; 0 if there is none',
      ({ oldestSeconds }) => oldestSeconds,
    ],
    heliograph_callbacks_set_aside: [
      'Callbacks of carriers that could not be processed and wait for an operator',
      ({ setAside }) => setAside,
    ],
  });
}
