import { StartError } from '../../platform/errors/start-error.js';
import type { Metric } from '../../platform/metrics/metric.js';
import type { Reading } from '../../platform/metrics/reading.js';
import { VERSION } from '../../platform/package-folder.js';
import { nameConnections } from '../../platform/store/connections/connection-name.js';
import type { Siblings } from '../../surfaces/http/health.js';
import type { Logger } from '../logger.js';
import { exposed } from '../metrics/open-metrics.js';
import type { Config } from '../settings/config.js';
import type { SharedStore } from '../startup/open-store.js';
import { BEAT_MS, type Member, type OpenOrder, type Order, type Report } from './orders.js';

interface Read {
  /** What this process alone can tell. */
  own(): Promise<Reading[]>;
  /** What every process would tell alike. */
  ofAll(): Promise<Reading[]>;
}

/** This process as one of several: what the first one has told it, and what it tells that. */
export class Joined {
  readonly member: Member;
  readonly shared: SharedStore;
  readonly #order: OpenOrder;
  #siblings: Siblings;
  #read: Read | null = null;
  #end: { why: string; othersListen: boolean } | null = null;
  #onEnd: (why: string) => void = () => undefined;

  /** Tells the first process that this one is there, and waits for what it is to do. */
  static async join(): Promise<Joined> {
    // What follows upon the order may come with it, and before anybody else listens.
    const further: Order[] = [];
    let hear: (heard: Order) => void = () => undefined;
    const order = await new Promise<OpenOrder>((resolve) => {
      hear = (heard) => (heard.type === 'open' ? resolve(heard) : void further.push(heard));
      process.on('message', hear);
      tell({ type: 'hello' });
    });
    if (order.version !== VERSION) {
      throw new StartError(
        `This is version ${VERSION}, and the process that started it is ${order.version}: stop the whole, and start it again.`,
      );
    }
    const joined = new Joined(order);
    process.off('message', hear);
    for (const each of further) joined.#hear(each);
    return joined;
  }

  private constructor(order: OpenOrder) {
    const { member, store } = order;
    this.#order = order;
    this.member = member;
    const { webhooksVoidUntil: until } = store;
    const released = until === null ? null : { webhooksVoidUntil: new Date(until) };
    this.shared = { url: store.url, way: store.way, folder: store.folder, released };
    this.#siblings = { ready: 0, of: member.of, isEnding: false };
    nameConnections({ ...member, start: process.ppid });
    process.title = `heliograph ${member.number}/${member.of} ${member.role}`;
    process.on('message', (heard: Order) => this.#hear(heard));
    // A terminal and a unit of systemd signal all processes; when and how this one ends, the first one says.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
    setInterval(() => tell({ type: 'beat' }), BEAT_MS).unref();
  }

  /** The settings of this process, of which the first one has decided some. */
  configured(config: Config): Config {
    const { settings, member } = this.#order;
    const { databaseUrl, databaseDirectUrl, ...decided } = settings;
    return {
      ...config,
      ...decided,
      metricsPort: settings.metricsPort,
      databaseUrl: databaseUrl ?? undefined,
      databaseDirectUrl: databaseDirectUrl ?? undefined,
      role: member.role,
      listens: member.listens,
    };
  }

  /** What is known of all processes. */
  get siblings(): Siblings {
    return this.#siblings;
  }

  /** Whether others listen on the port when this process ends. */
  get othersListen(): boolean {
    return this.#end?.othersListen ?? true;
  }

  /** Lets the first process know that this one does its work. */
  ready(baseUrl: string | null): void {
    tell({ type: 'ready', baseUrl });
  }

  /** Says what ends this process when the first one wants it to, which may have been before. */
  onEnd(end: (why: string) => void): void {
    this.#onEnd = end;
    if (this.#end) end(this.#end.why);
  }

  /** Answers for the metrics from here on. */
  async measure(metrics: readonly Metric[], log: Logger): Promise<void> {
    const isOfAll = (metric: Metric) => metric.type === 'gauge' && metric.across === 'one';
    const own = await exposed(
      metrics.filter((metric) => !isOfAll(metric)),
      log,
    );
    const ofAll = await exposed(metrics.filter(isOfAll), log, false);
    this.#read = { own: () => own.readings(), ofAll: () => ofAll.readings() };
  }

  /** Hands over what was counted until the end. */
  async last(): Promise<void> {
    const readings = await this.#read?.own();
    if (readings) await new Promise<void>((resolve) => tell({ type: 'last', readings }, () => resolve()));
  }

  #hear(heard: Order): void {
    if (heard.type === 'siblings') this.#siblings = heard;
    if (heard.type === 'read') void this.#answer(heard);
    if (heard.type === 'end') {
      this.#end = heard;
      this.#onEnd(heard.why);
    }
  }

  async #answer({ id, ofAll }: { id: number; ofAll: boolean }): Promise<void> {
    const read = this.#read;
    const [own = [], shared = []] = await Promise.all([read?.own(), ofAll ? read?.ofAll() : undefined]);
    tell({ type: 'read', id, readings: [...own, ...shared] });
  }
}

/** What the first process no longer hears, for it is gone, is lost: then this one ends as well. */
function tell(report: Report, done: (error: Error | null) => void = () => undefined): void {
  if (process.connected) process.send?.(report, undefined, undefined, done);
  else done(null);
}
