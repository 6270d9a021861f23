import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import type { CarrierRegistry, EnabledCarrier } from './registry.js';
import {
  type CarrierReport,
  REFRESH_INTERVAL_MS,
  type ReportedState,
  type ReportingProcess,
  writeReports,
} from './report-store.js';

const POLL_INTERVAL_MS = 1_000;

export interface CarrierReporterOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  carriers: Pick<CarrierRegistry, 'listEnabled' | 'activity'>;
  /** Must not throw. */
  onWritten(): void;
}

/**
 * Writes reports about carriers on every change, and periodically to show that the process is alive. A process without
 * carriers writes no reports.
 */
export class CarrierReporter extends BackgroundWork<CarrierReporterOptions> {
  readonly #process: ReportingProcess = { id: newId(), host: hostname(), pid: process.pid };
  readonly #states = new Map<string, { state: ReportedState; since: Date }>();
  #lastWritten = '[]';
  #writtenAt = performance.now();

  constructor(options: CarrierReporterOptions) {
    super(options, { everyMs: POLL_INTERVAL_MS, failure: 'the state of the carriers could not be stored' });
  }

  protected override async poll(): Promise<void> {
    const enabledCarriers = this.options.carriers.listEnabled();
    const current = JSON.stringify(enabledCarriers.map(summarize));
    const now = performance.now();
    const isDue = enabledCarriers.length > 0 && now - this.#writtenAt >= REFRESH_INTERVAL_MS;
    if (current === this.#lastWritten && !isDue) return;
    const seconds = Math.max(0.001, (now - this.#writtenAt) / 1_000);
    await writeReports(
      this.options.pool,
      this.#process,
      enabledCarriers.map((enabled) => this.#report(enabled, seconds)),
    );
    this.#lastWritten = current;
    this.#writtenAt = now;
    this.options.onWritten();
  }

  /** Deletes this process's reports. */
  override async stop(): Promise<void> {
    await super.stop();
    if (this.#lastWritten === '[]') return;
    this.#lastWritten = '[]';
    await writeReports(this.options.pool, this.#process, []).catch((error) => {
      this.options.log.warn({ err: error }, 'the reports on this process’s carriers could not be deleted');
    });
  }

  #report(enabled: EnabledCarrier, seconds: number): CarrierReport {
    const { name, carrier } = enabled;
    const { state, reason } = describeState(enabled);
    const previous = this.#states.get(name);
    const since = previous?.state === state ? previous.since : this.options.clock.now();
    this.#states.set(name, { state, since });
    const { inHand, acceptedCount, lastError } = this.options.carriers.activity.collect(name);
    return {
      carrier: name,
      state,
      since,
      reason,
      connections: carrier?.connections?.() ?? [],
      ratePerSecond: Math.round((acceptedCount / seconds) * 10) / 10,
      inHand,
      lastError: lastError?.text ?? null,
      lastErrorAt: lastError?.at ?? null,
    };
  }
}

/** Selects the fields whose changes are reported immediately, and not only at the next refresh. */
function summarize(enabled: EnabledCarrier) {
  const connections = enabled.carrier?.connections?.() ?? [];
  return [enabled.name, describeState(enabled), connections.map(({ isUp, lastError }) => [isUp, lastError])];
}

function describeState({ carrier, reason }: EnabledCarrier): { state: ReportedState; reason: string | null } {
  if (!carrier) return { state: 'unusable', reason };
  const state = carrier.state();
  if (state.up) return { state: 'up', reason: null };
  const connections = carrier.connections?.() ?? [];
  const isUp = connections.some((connection) => connection.isUp);
  // A carrier that only receives messages is healthy, although it sends nothing.
  if (isUp && !connections.some(({ sends }) => sends)) return { state: 'up', reason: null };
  const isLimited =
    connections.length > 0
      ? connections.some((connection) => connection.isUp && connection.sends)
      : state.until !== undefined;
  return { state: isLimited ? 'limited' : 'down', reason: state.reason ?? null };
}
