import type { GroupCommit } from '../group-commit.js';
import type { Metric } from './metric.js';

export function createGroupCommitMetrics(
  groups: Readonly<Record<string, Pick<GroupCommit<never, never>, 'sizes' | 'seconds' | 'waitingWeight'>>>,
): Metric[] {
  const entries = Object.entries(groups);
  return [
    {
      name: 'heliograph_group_commit_batch_size',
      help: 'How many items were committed together, by group: accept, accept_large and accept_limited count messages of requests, claim counts messages that a worker claims, status counts changes of a status',
      type: 'histogram',
      labels: ['group'],
      read: () => entries.map(([group, { sizes }]) => ({ labels: { group }, histogram: sizes })),
    },
    {
      name: 'heliograph_group_commit_duration_seconds',
      help: 'How long the store took for a commit, with its retries',
      type: 'histogram',
      labels: ['group'],
      read: () => entries.map(([group, { seconds }]) => ({ labels: { group }, histogram: seconds })),
    },
    {
      name: 'heliograph_group_commit_waiting',
      help: 'How many items wait for their commit; requests beyond ACCEPT_WAITING_LIMIT are rejected',
      type: 'gauge',
      labels: ['group'],
      read: () => entries.map(([group, { waitingWeight }]) => ({ labels: { group }, value: waitingWeight })),
    },
  ];
}
