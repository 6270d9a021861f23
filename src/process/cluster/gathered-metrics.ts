import type { Metric } from '../../platform/metrics/metric.js';
import { CONTENT_TYPE, mergeReadings, type Reading, sumOf, textOf } from '../../platform/metrics/reading.js';
import type { Logger } from '../logger.js';
import { exposed } from '../metrics/open-metrics.js';
import type { Members } from './members.js';
import type { MemberProcess } from './process.js';

/** How long a process may take to tell what it measures; what it asks the store it gives up before. */
const PATIENCE_MS = 3_000;
/** The first process in the label `process`. */
const FIRST = '0';
/** What those that have ended had counted; the label is never seen, for it is all added up. */
const ENDED = 'ended';

/** One answer for Prometheus out of what all processes measure. */
export class GatheredMetrics {
  readonly contentType = CONTENT_TYPE;
  readonly #members: () => Members;
  readonly #own: () => Promise<Reading[]>;
  #ended: Reading[] = [];

  /**
   * @param members once they are there
   * @param metrics of the first process itself
   */
  static async open(
    members: () => Members,
    of: number,
    log: Logger,
    metrics: readonly Metric[] = [],
  ): Promise<GatheredMetrics> {
    const own = await exposed([...processMetrics(members, of), ...metrics], log);
    return new GatheredMetrics(members, () => own.readings());
  }

  private constructor(members: () => Members, own: () => Promise<Reading[]>) {
    this.#members = members;
    this.#own = own;
  }

  /** Goes on counting what a process had counted that has ended. */
  keep({ lastRead }: MemberProcess): void {
    this.#ended = sumOf([this.#ended, lastRead]);
  }

  async text(): Promise<string> {
    const { living } = this.#members();
    // One of each role tells what all would tell alike.
    const tellers = new Map(living.filter(({ isReady }) => isReady).map((each) => [each.member.role, each]));
    const read = await Promise.all(
      living.map(async (each) => {
        const readings = await each.read(tellers.get(each.member.role) === each, PATIENCE_MS);
        // Kept by the time this ends, where it ended meanwhile.
        return [each, readings] as const;
      }),
    );
    const byProcess = new Map<string, readonly Reading[]>([
      [FIRST, await this.#own()],
      [ENDED, this.#ended],
    ]);
    for (const [{ member, hasExited }, readings] of read) {
      if (hasExited) continue;
      const name = String(member.number);
      // While one takes the other's place there are two of a number.
      byProcess.set(byProcess.has(name) ? `${name}+` : name, readings);
    }
    return await textOf(mergeReadings(byProcess));
  }
}

/** What the first process tells of the others. */
export function processMetrics(members: () => Pick<Members, 'ready' | 'deaths'>, of: number): Metric[] {
  return [
    {
      name: 'heliograph_processes',
      help: 'Processes of this start, by whether they do their work; ready ones are below PROCESSES while one is replaced',
      type: 'gauge',
      across: 'one',
      labels: ['state'],
      read: () => [
        { labels: { state: 'ready' }, value: members().ready },
        { labels: { state: 'wanted' }, value: of },
      ],
    },
    {
      name: 'heliograph_process_deaths_total',
      help: 'Processes of this start that ended though nobody had asked them to, and were replaced',
      type: 'counter',
      read: () => [{ value: members().deaths }],
    },
  ];
}
