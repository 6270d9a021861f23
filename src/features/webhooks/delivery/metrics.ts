import type pg from 'pg';
import { type Metric, samplesBy } from '../../../platform/metrics/metric.js';
import { ShortCache } from '../../../platform/short-cache.js';
import type { WebhookDeliverer } from './deliverer.js';
import { type OutboxState, readOutboxState } from './outbox-state-store.js';

/** How far the webhooks of the installation are behind. */
export function outboxMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  const cache = new ShortCache<OutboxState>();
  const state = () => cache.get('', () => readOutboxState(pool));
  return [
    {
      name: 'heliograph_webhook_lag_seconds',
      help: 'By how much the delivery of the installation that is overdue longest is late, without webhooks that fail; 0 where none is',
      type: 'gauge',
      read: async () => [{ value: (await state()).lagSeconds }],
    },
    {
      name: 'heliograph_webhooks_due',
      help: 'Webhooks of the installation with a delivery that is due',
      type: 'gauge',
      read: async () => [{ value: (await state()).due }],
    },
    {
      name: 'heliograph_webhooks_failing',
      help: 'Active webhooks of the installation whose deliveries fail; after five days one is disabled',
      type: 'gauge',
      read: async () => [{ value: (await state()).failing }],
    },
  ];
}

/** What the deliverer of a process does. */
export function deliveryMetrics(deliverer: Pick<WebhookDeliverer, 'tries' | 'inFlight'>): Metric[] {
  return [
    {
      name: 'heliograph_webhook_tries_total',
      help: 'Tries to deliver an event to a webhook, by what came of them',
      type: 'counter',
      labels: ['outcome'],
      read: () => samplesBy('outcome', Object.entries(deliverer.tries)),
    },
    {
      name: 'heliograph_webhook_tries_in_flight',
      help: 'Tries of this process that wait for the answer of their endpoint',
      type: 'gauge',
      read: () => [{ value: deliverer.inFlight }],
    },
  ];
}
