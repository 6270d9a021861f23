import type { Metric, Sample } from '../../platform/metrics/metric.js';
import type { CarrierRegistry } from './registry.js';

/** How the carriers of a process fare. */
export function carrierMetrics(carriers: Pick<CarrierRegistry, 'present' | 'activity'>): Metric[] {
  const { activity } = carriers;
  const ofEach = (read: (present: ReturnType<CarrierRegistry['present']>[number]) => Sample[]) =>
    carriers.present().flatMap(read);
  return [
    activity.outcomes.metric(
      'heliograph_carrier_submissions_total',
      'Messages handed to a carrier, by what came of it',
    ),
    {
      name: 'heliograph_carrier_in_flight',
      help: 'Messages handed to a carrier that it has not answered',
      type: 'gauge',
      labels: ['carrier'],
      read: () => activity.inHand().map(([carrier, value]) => ({ labels: { carrier }, value })),
    },
    {
      name: 'heliograph_carrier_up',
      help: 'Whether a carrier that is set up and switched on takes messages from this process: 1, or 0',
      type: 'gauge',
      labels: ['carrier'],
      read: () =>
        ofEach(({ name, carrier }) => [{ labels: { carrier: name }, value: carrier?.state().up === true ? 1 : 0 }]),
    },
    {
      name: 'heliograph_carrier_connections',
      help: 'Connections that a carrier keeps, such as binds of SMPP, by whether they are up',
      type: 'gauge',
      labels: ['carrier', 'state'],
      read: () =>
        ofEach(({ name, carrier }) => {
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
      help: 'Submits that wait for their response, over all connections of a carrier that has windows',
      type: 'gauge',
      labels: ['carrier'],
      read: () => ofEach(({ name, carrier }) => windowOf(name, carrier?.window?.().inUse)),
    },
    {
      name: 'heliograph_carrier_window_size',
      help: 'Submits that may wait for their response, over all connections of a carrier that has windows',
      type: 'gauge',
      labels: ['carrier'],
      read: () => ofEach(({ name, carrier }) => windowOf(name, carrier?.window?.().size)),
    },
  ];
}

function windowOf(carrier: string, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: { carrier }, value }];
}
