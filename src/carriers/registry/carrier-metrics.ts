import type { Metric, Sample } from '../../platform/metrics/metric.js';
import type { CarrierRegistry } from './registry.js';

export function createCarrierMetrics(carriers: Pick<CarrierRegistry, 'listEnabled' | 'activity'>): Metric[] {
  const { activity } = carriers;
  const sampleCarriers = (read: (enabledCarrier: ReturnType<CarrierRegistry['listEnabled']>[number]) => Sample[]) =>
    carriers.listEnabled().flatMap(read);
  return [
    activity.outcomes.toMetric(
      'heliograph_carrier_submissions_total',
      'Messages submitted to a carrier: taken, refused permanently, failed for this attempt, unknown if the response was lost, not_tried if the carrier was down or throttling',
    ),
    {
      name: 'heliograph_carrier_in_flight',
      help: 'Submitted messages to which the carrier has not responded yet',
      type: 'gauge',
      labels: ['carrier'],
      read: () => activity.listInHand().map(([carrier, value]) => ({ labels: { carrier }, value })),
    },
    {
      name: 'heliograph_carrier_up',
      help: '1 if an enabled carrier accepts messages from this process, otherwise 0',
      type: 'gauge',
      labels: ['carrier'],
      read: () =>
        sampleCarriers(({ name, carrier }) => [
          { labels: { carrier: name }, value: carrier?.state().up === true ? 1 : 0 },
        ]),
    },
    {
      name: 'heliograph_carrier_connections',
      help: 'Persistent connections of a carrier, such as SMPP binds: up or down',
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
      help: 'Submissions without a response, over all connections of a carrier that has a window',
      type: 'gauge',
      labels: ['carrier'],
      read: () => sampleCarriers(({ name, carrier }) => toWindowSamples(name, carrier?.window?.().inUse)),
    },
    {
      name: 'heliograph_carrier_window_size',
      help: 'Limit of submissions without a response, over all connections of the carrier that are up',
      type: 'gauge',
      labels: ['carrier'],
      read: () => sampleCarriers(({ name, carrier }) => toWindowSamples(name, carrier?.window?.().size)),
    },
  ];
}

function toWindowSamples(carrier: string, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: { carrier }, value }];
}
