import type { Metric, Sample } from '../../platform/metrics/metric.js';
import type { CarrierRegistry } from './registry.js';

export function createCarrierMetrics(carriers: Pick<CarrierRegistry, 'listEnabled' | 'activity'>): Metric[] {
  const { activity } = carriers;
  const sampleCarriers = (read: (enabledCarrier: ReturnType<CarrierRegistry['listEnabled']>[number]) => Sample[]) =>
    carriers.listEnabled().flatMap(read);
  return [
    activity.outcomes.toMetric('heliograph_carrier_submissions_total', 'Messages submitted to a carrier, by result'),
    {
      name: 'heliograph_carrier_in_flight',
      help: 'Messages submitted to a carrier without a response yet',
      type: 'gauge',
      labels: ['carrier'],
      read: () => activity.listInHand().map(([carrier, value]) => ({ labels: { carrier }, value })),
    },
    {
      name: 'heliograph_carrier_up',
      help: 'Whether an enabled carrier can send messages from this process: 1 or 0',
      type: 'gauge',
      labels: ['carrier'],
      read: () =>
        sampleCarriers(({ name, carrier }) => [
          { labels: { carrier: name }, value: carrier?.state().up === true ? 1 : 0 },
        ]),
    },
    {
      name: 'heliograph_carrier_connections',
      help: 'Persistent connections of a carrier, such as SMPP binds, by state',
      type: 'gauge',
      labels: ['carrier', 'state'],
      read: () =>
        sampleCarriers(({ name, carrier }) => {
          const connections = carrier?.connections?.();
          if (!connections) return [];
          const up = connections.filter(({ isUp }) => isUp).length;
          return [
            { labels: { carrier: name, state: 'up' }, value: up },
            { labels: { carrier: name, state: 'down' }, value: connections.length - up },
          ];
        }),
    },
    {
      name: 'heliograph_carrier_window_in_use',
      help: 'Unanswered submissions over all connections of a carrier with a window',
      type: 'gauge',
      labels: ['carrier'],
      read: () => sampleCarriers(({ name, carrier }) => toWindowSamples(name, carrier?.window?.().inUse)),
    },
    {
      name: 'heliograph_carrier_window_size',
      help: 'Limit on unanswered submissions over all connections of a carrier with a window',
      type: 'gauge',
      labels: ['carrier'],
      read: () => sampleCarriers(({ name, carrier }) => toWindowSamples(name, carrier?.window?.().size)),
    },
  ];
}

function toWindowSamples(carrier: string, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: { carrier }, value }];
}
