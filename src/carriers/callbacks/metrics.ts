import type pg from 'pg';
import { gaugesOf, type Metric } from '../../platform/metrics/metric.js';
import { readCallbacksWaiting } from './waiting-store.js';

/** What carriers have reported and nobody has worked off. */
export function callbackMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  return gaugesOf(() => readCallbacksWaiting(pool), {
    heliograph_callbacks_waiting: [
      'Callbacks of carriers that the installation has stored and not worked off; at most 10000 are looked at',
      ({ waiting }) => waiting,
    ],
    heliograph_callbacks_oldest_age_seconds: [
      'Since when the oldest of them waits; 0 where none does',
      ({ oldestSeconds }) => oldestSeconds,
    ],
    heliograph_callbacks_set_aside: [
      'Callbacks that could not be worked off and wait for an operator',
      ({ setAside }) => setAside,
    ],
  });
}
