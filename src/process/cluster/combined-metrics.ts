import type { Metric } from '../../platform/metrics/metric.js';
import {
  CONTENT_TYPE,
  formatReadings,
  mergeReadings,
  type Reading,
  sumReadings,
} from '../../platform/metrics/reading.js';
import type { Logger } from '../logger.js';
import { exposeMetrics } from '../metrics/open-metrics.js';
import type { MemberProcess } from './member-process.js';
import type { Members } from './members.js';

/** Longest wait for the metrics of a member, which reads each metric with a shorter timeout. */
const READ_TIMEOUT_MS = 3_000;
const PRIMARY_LABEL = '0';
/** The label of exited processes never appears in the output, because counters are summed over all processes. */
const EXITED_LABEL = 'ended';

export class CombinedMetrics {
  readonly contentType = CONTENT_TYPE;
  readonly #getMembers: () => Members;
  readonly #readPrimary: () => Promise<Reading[]>;
  #exitedReadings: Reading[] = [];

  static async open(
    getMembers: () => Members,
    plannedProcesses: number,
    log: Logger,
    metrics: readonly Metric[] = [],
  ): Promise<CombinedMetrics> {
    const primary = await exposeMetrics([...clusterMetrics(getMembers, plannedProcesses), ...metrics], log);
    return new CombinedMetrics(getMembers, () => primary.collectReadings());
  }

  private constructor(getMembers: () => Members, readPrimary: () => Promise<Reading[]>) {
    this.#getMembers = getMembers;
    this.#readPrimary = readPrimary;
  }

  /** Keeps the counters of an exited process, so that the sums over all processes never decrease. */
  keepCounters({ lastReadings }: MemberProcess): void {
    this.#exitedReadings = sumReadings([this.#exitedReadings, lastReadings]);
  }

  async text(): Promise<string> {
    const { living } = this.#getMembers();
    // Only one ready process of each role reports the metrics that have the same value in every process.
    const reporters = new Map(
      living.filter(({ isReady }) => isReady).map((memberProcess) => [memberProcess.member.role, memberProcess]),
    );
    const results = await Promise.all(
      living.map(async (memberProcess) => {
        const isReporter = reporters.get(memberProcess.member.role) === memberProcess;
        return [memberProcess, await memberProcess.readMetrics(isReporter, READ_TIMEOUT_MS)] as const;
      }),
    );
    const byProcess = new Map<string, readonly Reading[]>([
      [PRIMARY_LABEL, await this.#readPrimary()],
      [EXITED_LABEL, this.#exitedReadings],
    ]);
    for (const [{ member, hasExited }, readings] of results) {
      if (hasExited) continue;
      const label = String(member.number);
      // While a process is being replaced, the old and the new process have the same number.
      byProcess.set(byProcess.has(label) ? `${label}+` : label, readings);
    }
    return await formatReadings(mergeReadings(byProcess));
  }
}

export function clusterMetrics(
  getMembers: () => Pick<Members, 'ready' | 'unexpectedExits'>,
  plannedProcesses: number,
): Metric[] {
  return [
    {
      name: 'heliograph_processes',
      help: 'With PROCESSES above 1: how many are ready, and how many are wanted',
      type: 'gauge',
      aggregation: 'one',
      labels: ['state'],
      read: () => [
        { labels: { state: 'ready' }, value: getMembers().ready },
        { labels: { state: 'wanted' }, value: plannedProcesses },
      ],
    },
    {
      name: 'heliograph_process_deaths_total',
      help: 'With PROCESSES above 1: processes that ended unexpectedly and were replaced',
      type: 'counter',
      read: () => [{ value: getMembers().unexpectedExits }],
    },
  ];
}
