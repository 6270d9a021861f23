import type pg from 'pg';
import { createStoreGauges, type Metric, toSamples } from '../../../platform/metrics/metric.js';
import type { WebhookDeliverer } from './deliverer.js';
import { readOutboxState } from './outbox-state-store.js';

export function outboxMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  return createStoreGauges(() => readOutboxState(pool), {
    heliograph_webhook_lag_seconds: [
      'By how much the delivery of the installation that is overdue longest is late, without webhooks that fail; 0 where none is',
      ({ lagSeconds }) => lagSeconds,
    ],
    heliograph_webhooks_due: ['Webhooks of the installation with a delivery that is due', ({ due }) => due],
    heliograph_webhooks_failing: [
      'Active webhooks and hosts of callback URLs of the installation whose deliveries fail; after five days a webhook is disabled',
      ({ failing }) => failing,
    ],
  });
}

export function deliveryMetrics(deliverer: Pick<WebhookDeliverer, 'tries' | 'inFlight'>): Metric[] {
  return [
    {
      name: 'heliograph_webhook_tries_total',
      help: 'Attempts to deliver an event to a webhook, by outcome',
      type: 'counter',
      labels: ['outcome'],
      read: () => toSamples('outcome', Object.entries(deliverer.tries)),
    },
    {
      name: 'heliograph_webhook_tries_in_flight',
      help: 'Delivery attempts of this process that wait for a response',
      type: 'gauge',
      read: () => [{ value: deliverer.inFlight }],
    },
  ];
}
