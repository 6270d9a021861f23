import type pg from 'pg';
import { createStoreGauges, type Metric, toSamples } from '../../../platform/metrics/metric.js';
import type { WebhookDeliverer } from './deliverer.js';
import { readOutboxState } from './outbox-state-store.js';

export function outboxMetrics({ pool }: { pool: pg.Pool }): Metric[] {
  return createStoreGauges(() => readOutboxState(pool), {
    heliograph_webhook_lag_seconds: [
      'Installation: how late the most overdue delivery is, without failing webhooks',
      ({ lagSeconds }) => lagSeconds,
    ],
    heliograph_webhooks_due: ['Installation: webhooks with a due delivery', ({ due }) => due],
    heliograph_webhooks_failing: [
      'Installation: webhooks and hosts of callback URLs whose deliveries fail; after five days a webhook is disabled',
      ({ failing }) => failing,
    ],
  });
}

export function deliveryMetrics(deliverer: Pick<WebhookDeliverer, 'tries' | 'inFlight'>): Metric[] {
  return [
    {
      name: 'heliograph_webhook_tries_total',
      help: 'Attempts to deliver an event to a webhook: delivered, retried later, given_up',
      type: 'counter',
      labels: ['outcome'],
      read: () => toSamples('outcome', Object.entries(deliverer.tries)),
    },
    {
      name: 'heliograph_webhook_tries_in_flight',
      help: 'Attempts to deliver an event to which the endpoint has not responded yet',
      type: 'gauge',
      read: () => [{ value: deliverer.inFlight }],
    },
  ];
}
