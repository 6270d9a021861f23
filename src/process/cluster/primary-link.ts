import { StartError } from '../../platform/errors/start-error.js';
import type { Metric } from '../../platform/metrics/metric.js';
import type { Reading } from '../../platform/metrics/reading.js';
import { VERSION } from '../../platform/package-folder.js';
import { nameConnections } from '../../platform/store/connections/connection-name.js';
import type { Siblings } from '../../surfaces/http/health.js';
import type { Logger } from '../logger.js';
import { exposeMetrics } from '../metrics/open-metrics.js';
import type { Config } from '../settings/config.js';
import type { SharedStore } from '../startup/open-store.js';
import {
  HEARTBEAT_MS,
  type Member,
  type MemberMessage,
  type OpenMessage,
  type PrimaryMessage,
} from './ipc-messages.js';

interface MetricReaders {
  readOwn(): Promise<Reading[]>;
  readShared(): Promise<Reading[]>;
}

export class PrimaryLink {
  readonly member: Member;
  readonly shared: SharedStore;
  readonly #openMessage: OpenMessage;
  #siblings: Siblings;
  #metrics: MetricReaders | null = null;
  #end: { reason: string; othersListen: boolean } | null = null;
  #onEnd: (reason: string) => void = () => undefined;

  /** @throws {StartError} */
  static async connect(): Promise<PrimaryLink> {
    // The primary process may send further messages before the link exists, so they are stored until then.
    const earlyMessages: PrimaryMessage[] = [];
    let receive: (message: PrimaryMessage) => void = () => undefined;
    const openMessage = await new Promise<OpenMessage>((resolve) => {
      receive = (message) => (message.type === 'open' ? resolve(message) : void earlyMessages.push(message));
      process.on('message', receive);
      send({ type: 'hello' });
    });
    if (openMessage.version !== VERSION) {
      throw new StartError(
        `This is version ${VERSION}, but the primary process runs ${openMessage.version}: stop Heliograph and start it again.`,
      );
    }
    const link = new PrimaryLink(openMessage);
    process.off('message', receive);
    for (const message of earlyMessages) link.#receive(message);
    return link;
  }

  private constructor(openMessage: OpenMessage) {
    const { member, store } = openMessage;
    this.#openMessage = openMessage;
    this.member = member;
    const { webhooksVoidUntil: until } = store;
    const releasedLeases = until === null ? null : { webhooksVoidUntil: new Date(until) };
    this.shared = { url: store.url, poolTarget: store.poolTarget, folder: store.folder, released: releasedLeases };
    this.#siblings = { ready: 0, planned: member.total, isEnding: false };
    nameConnections({ number: member.number, processCount: member.total, role: member.role, primaryPid: process.ppid });
    process.title = `heliograph ${member.number}/${member.total} ${member.role}`;
    process.on('message', (message: PrimaryMessage) => this.#receive(message));
    // Signals are ignored, because a terminal and systemd signal every process, but the primary process ends its members
    // itself.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
    setInterval(() => send({ type: 'beat' }), HEARTBEAT_MS).unref();
  }

  applySharedSettings(config: Config): Config {
    const { settings, member } = this.#openMessage;
    const { databaseUrl, databaseDirectUrl, ...shared } = settings;
    return {
      ...config,
      ...shared,
      metricsPort: settings.metricsPort,
      databaseUrl: databaseUrl ?? undefined,
      databaseDirectUrl: databaseDirectUrl ?? undefined,
      role: member.role,
      listens: member.listens,
    };
  }

  get siblings(): Siblings {
    return this.#siblings;
  }

  get othersListen(): boolean {
    return this.#end?.othersListen ?? true;
  }

  reportReady(baseUrl: string | null): void {
    send({ type: 'ready', baseUrl });
  }

  /** Calls `end` immediately if the primary process has already requested the end of this process. */
  onEnd(end: (reason: string) => void): void {
    this.#onEnd = end;
    if (this.#end) end(this.#end.reason);
  }

  async reportMetrics(metrics: readonly Metric[], log: Logger): Promise<void> {
    const isShared = (metric: Metric) => metric.type === 'gauge' && metric.aggregation === 'one';
    const ownExposition = await exposeMetrics(
      metrics.filter((metric) => !isShared(metric)),
      log,
    );
    const sharedExposition = await exposeMetrics(metrics.filter(isShared), log, false);
    this.#metrics = {
      readOwn: () => ownExposition.collectReadings(),
      readShared: () => sharedExposition.collectReadings(),
    };
  }

  async sendFinalMetrics(): Promise<void> {
    const readings = await this.#metrics?.readOwn();
    if (readings) await new Promise<void>((resolve) => send({ type: 'last', readings }, () => resolve()));
  }

  #receive(message: PrimaryMessage): void {
    if (message.type === 'siblings') this.#siblings = message;
    if (message.type === 'read') void this.#sendMetrics(message);
    if (message.type === 'end') {
      this.#end = message;
      this.#onEnd(message.reason);
    }
  }

  async #sendMetrics({ id, includesShared }: { id: number; includesShared: boolean }): Promise<void> {
    const metrics = this.#metrics;
    const [own = [], shared = []] = await Promise.all([
      metrics?.readOwn(),
      includesShared ? metrics?.readShared() : undefined,
    ]);
    send({ type: 'read', id, readings: [...own, ...shared] });
  }
}

/** Drops the message if the primary process has exited, because its members then exit as well. */
function send(message: MemberMessage, callback: (error: Error | null) => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, callback);
  else callback(null);
}
