import type { GroupCommit } from '../group-commit.js';
import type { Metric } from './metric.js';

/** What several group commits of a process measure, by a name for each. */
export function groupCommitMetrics(
  groups: Readonly<Record<string, Pick<GroupCommit<never, never>, 'sizes' | 'seconds' | 'waitingWeight'>>>,
): Metric[] {
  const each = Object.entries(groups);
  return [
    {
      name: 'heliograph_group_commit_batch_size',
      help: 'Messages, or what happened to them, that were committed together',
      type: 'histogram',
      labels: ['group'],
      read: () => each.map(([group, { sizes }]) => ({ labels: { group }, spread: sizes })),
    },
    {
      name: 'heliograph_group_commit_duration_seconds',
      help: 'Time that the store took for a batch, repetitions included',
      type: 'histogram',
      labels: ['group'],
      read: () => each.map(([group, { seconds }]) => ({ labels: { group }, spread: seconds })),
    },
    {
      name: 'heliograph_group_commit_waiting',
      help: 'Messages, or what happened to them, that wait for their commit to begin',
      type: 'gauge',
      labels: ['group'],
      read: () => each.map(([group, { waitingWeight }]) => ({ labels: { group }, value: waitingWeight })),
    },
  ];
}
