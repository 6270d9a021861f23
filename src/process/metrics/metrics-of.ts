import type { Metric } from '../../platform/metrics/metric.js';
import { VERSION } from '../../platform/package-folder.js';
import type { Deps } from '../deps.js';

/** Everything that a process measures. The folder that measures something says what it is; here it is only put together. */
export function metricsOf({ config, requests }: Deps): Metric[] {
  return [
    {
      name: 'heliograph_build_info',
      help: 'The version of Heliograph and the role of the process; always 1',
      type: 'gauge',
      labels: ['version', 'role'],
      read: () => [{ labels: { version: VERSION, role: config.role }, value: 1 }],
    },
    ...requests.metrics(),
  ];
}
