import { createCallbackMetrics } from '../../carriers/callbacks/metrics.js';
import { createUnmatchedMetrics } from '../../carriers/callbacks/unmatched/metrics.js';
import { createCarrierMetrics } from '../../carriers/registry/carrier-metrics.js';
import { backupMetrics } from '../../features/backup/metrics.js';
import { maintenanceMetrics } from '../../features/maintenance/metrics.js';
import { deliveryMetrics, outboxMetrics } from '../../features/webhooks/delivery/metrics.js';
import { queueMetrics } from '../../messages/queue/queue-metrics.js';
import { createGroupCommitMetrics } from '../../platform/metrics/group-commits.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { VERSION } from '../../platform/package-folder.js';
import { createPoolMetrics } from '../../platform/store/connections/pool-metrics.js';
import { findExistingFinder } from '../../platform/store/servers/primary-finder.js';
import { createPrimaryMetrics } from '../../platform/store/servers/primary-metrics.js';
import { createReplicaMetrics } from '../../platform/store/servers/replica-metrics.js';
import { diskMetrics } from '../metrics/disk-metrics.js';
import { backupPlan } from '../settings/backup-plan.js';
import type { Deps } from './deps.js';
import type { OpenReads } from './open-reads.js';
import type { OpenStore } from './open-store.js';
import type { Work } from './work.js';

type MetricSources = Pick<
  Deps,
  | 'config'
  | 'verifications'
  | 'requests'
  | 'failedSignIns'
  | 'acceptor'
  | 'statuses'
  | 'receipts'
  | 'carriers'
  | 'hints'
  | 'links'
> & {
  store: Pick<OpenStore, 'pool' | 'byKey' | 'folder'>;
  replica: OpenReads['replica'];
  work: Work | null;
};

export function collectMetrics({ config, store, replica, work, ...sources }: MetricSources): readonly Metric[] {
  const { pool, byKey } = store;
  const plan = backupPlan(config);
  const { verifications, requests, failedSignIns, acceptor, statuses, receipts, carriers, hints, links } = sources;
  return [
    // Pool metrics come first, because reading other metrics from the store occupies connections itself.
    ...createPoolMetrics({ general: pool, by_key: byKey, ...(replica && { replica: replica.pool }), ...work?.pools }),
    ...createPrimaryMetrics(findExistingFinder(config.databaseUrl)),
    ...createReplicaMetrics(replica?.reads ?? null),
    {
      name: 'heliograph_build_info',
      help: 'Version of Heliograph and role of the process; the value is always 1',
      type: 'gauge',
      labels: ['version', 'role'],
      read: () => [{ labels: { version: VERSION, role: config.role }, value: 1 }],
    },
    ...requests.metrics(),
    ...failedSignIns.metrics(),
    ...acceptor.tally.metrics(),
    ...verifications.tally.metrics(),
    ...createGroupCommitMetrics({ ...acceptor.groups, ...statuses.groups, ...work?.sender.groups }),
    ...statuses.tally.metrics(),
    ...receipts.metrics(),
    ...links.clicks.metrics(),
    ...createCarrierMetrics(carriers),
    ...queueMetrics({ pool, hints }),
    ...(work?.workers.metrics() ?? []),
    ...(work?.sender.metrics() ?? []),
    ...(work?.jobTable?.metrics() ?? []),
    ...outboxMetrics({ pool }),
    ...createCallbackMetrics({ pool }),
    ...createUnmatchedMetrics({ pool }),
    ...(work ? [...deliveryMetrics(work.deliverer), ...maintenanceMetrics(work.maintenance)] : []),
    ...backupMetrics({ pool }, plan, work?.backups ?? null),
    ...diskMetrics({
      ...(store.folder !== null && { data: store.folder }),
      ...(plan && work && { backups: plan.folder }),
    }),
  ];
}
