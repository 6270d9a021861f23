import type { GroupCommit } from '../group-commit.js';
import type { Metric } from './metric.js';

export function groupCommitMetrics(
  groups: Readonly<Record<string, Pick<GroupCommit<never, never>, 'sizes' | 'seconds' | 'waitingWeight'>>>,
): Metric[] {
  const each = Object.entries(groups);
  return [
    {
      name: 'heliograph_group_commit_batch_size',
      help: 'Messages or message events per commit',
      type: 'histogram',
      labels: ['group'],
      read: () => each.map(([group, { sizes }]) => ({ labels: { group }, spread: sizes })),
    },
    {
      name: 'heliograph_group_commit_duration_seconds',
      help: 'Time that the store took for a batch, including retries',
      type: 'histogram',
      labels: ['group'],
      read: () => each.map(([group, { seconds }]) => ({ labels: { group }, spread: seconds })),
    },
    {
      name: 'heliograph_group_commit_waiting',
      help: 'Messages or message events that wait for a commit',
      type: 'gauge',
      labels: ['group'],
      read: () => each.map(([group, { waitingWeight }]) => ({ labels: { group }, value: waitingWeight })),
    },
  ];
}
