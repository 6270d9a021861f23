import type { Metric } from '../../metrics/metric.js';
import { ShortCache } from '../../short-cache.js';
import type { ReplicaReads } from './replica.js';

type MeasuredReads = Pick<ReplicaReads, 'settledAgeMs' | 'maxAgeMs' | 'isAway' | 'tally'>;

export function createReplicaMetrics(reads: MeasuredReads | null): Metric[] {
  if (!reads) return [];
  // The age may take 1.5 seconds to settle, so all metrics of a scrape share one wait.
  const cache = new ShortCache<number>();
  const settledAgeMs = () => cache.get('', () => reads.settledAgeMs());
  const inSeconds = (ms: number) => Math.round(ms) / 1_000;
  return [
    {
      name: 'heliograph_replica_age_seconds',
      help: "With DATABASE_READ_URL, in serving processes: maximum age of the replica's data; missing if unknown, for example while it is unreachable",
      type: 'gauge',
      read: async () => {
        const ageMs = await settledAgeMs();
        return Number.isFinite(ageMs) ? [{ value: inSeconds(ageMs) }] : [];
      },
    },
    {
      name: 'heliograph_replica_max_age_seconds',
      help: 'Maximum age at which the replica is read (DATABASE_READ_MAX_AGE_MS)',
      type: 'gauge',
      read: () => [{ value: inSeconds(reads.maxAgeMs) }],
    },
    {
      name: 'heliograph_replica_state',
      help: 'Where reads go: 1 for the current state: young (the replica is read), or too_old or away (the primary is read)',
      type: 'gauge',
      labels: ['state'],
      read: async () => {
        const ageMs = await settledAgeMs();
        const state = ageMs <= reads.maxAgeMs ? 'young' : reads.isAway ? 'away' : 'too_old';
        return ['young', 'too_old', 'away'].map((candidate) => ({
          labels: { state: candidate },
          value: Number(candidate === state),
        }));
      },
    },
    reads.tally.toMetric(
      'heliograph_replica_reads_total',
      'Reads from the replica or the primary, by reason: young, or too_old, away and given_up (the replica canceled the statement)',
    ),
  ];
}
