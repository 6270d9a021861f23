import type { GroupCommit } from '../group-commit.js';
import type { Metric } from './metric.js';

export function createGroupCommitMetrics(
  groups: Readonly<Record<string, Pick<GroupCommit<never, never>, 'sizes' | 'seconds' | 'waitingWeight'>>>,
): Metric[] {
  const entries = Object.entries(groups);
  return [
    {
      name: 'heliograph_group_commit_batch_size',
      help: 'Messages or message events per commit',
      type: 'histogram',
      labels: ['group'],
      read: () => entries.map(([group, { sizes }]) => ({ labels: { group }, histogram: sizes })),
    },
    {
      name: 'heliograph_group_commit_duration_seconds',
      help: 'Time that the store took for a batch, including retries',
      type: 'histogram',
      labels: ['group'],
      read: () => entries.map(([group, { seconds }]) => ({ labels: { group }, histogram: seconds })),
    },
    {
      name: 'heliograph_group_commit_waiting',
      help: 'Messages or message events that wait for a commit',
      type: 'gauge',
      labels: ['group'],
      read: () => entries.map(([group, { waitingWeight }]) => ({ labels: { group }, value: waitingWeight })),
    },
  ];
}
