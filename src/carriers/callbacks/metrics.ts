import type pg from 'pg';
import type { Metric } from '../../platform/metrics/metric.js';
import { ShortCache } from '../../platform/short-cache.js';
import { type CallbacksWaiting, readCallbacksWaiting } from './waiting-store.js';

/** What carriers have reported and nobody has worked off. */
export function callbackMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  const cache = new ShortCache<CallbacksWaiting>();
  const state = () => cache.get('', () => readCallbacksWaiting(pool));
  return [
    {
      name: 'heliograph_callbacks_waiting',
      help: 'Callbacks of carriers that the installation has stored and not worked off; at most 10000 are looked at',
      type: 'gauge',
      across: 'one',
      read: async () => [{ value: (await state()).waiting }],
    },
    {
      name: 'heliograph_callbacks_oldest_age_seconds',
      help: 'Since when the oldest of them waits; 0 where none does',
      type: 'gauge',
      across: 'one',
      read: async () => [{ value: (await state()).oldestSeconds }],
    },
    {
      name: 'heliograph_callbacks_set_aside',
      help: 'Callbacks that could not be worked off and wait for an operator',
      type: 'gauge',
      across: 'one',
      read: async () => [{ value: (await state()).setAside }],
    },
  ];
}
