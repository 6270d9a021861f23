import { hostname } from 'node:os';
import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import type { CarrierRegistry, PresentCarrier } from './registry.js';
import {
  type CarrierReport,
  REFRESH_MS,
  type ReportedState,
  type ReportingProcess,
  writeReports,
} from './report-store.js';

/** How soon a change is written down. */
const LOOK_EVERY_MS = 1_000;

export interface CarrierReporterOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  carriers: Pick<CarrierRegistry, 'present' | 'activity'>;
  /** Told after each report that was written; must not throw. */
  onWritten(): void;
}

/**
 * Writes down how the carriers of this process fare, for `heliograph carrier status` and for the health of channels: at
 * every change, and from time to time so that it is seen that the process is there. Without carriers it writes nothing.
 */
export class CarrierReporter extends BackgroundWork<CarrierReporterOptions> {
  readonly #process: ReportingProcess = { id: newId(), host: hostname(), pid: process.pid };
  /** Of each carrier its state, and since when. */
  readonly #states = new Map<string, { state: ReportedState; since: Date }>();
  #written = '[]';
  #writtenAt = performance.now();

  constructor(options: CarrierReporterOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'how the carriers fare could not be written down' });
  }

  protected override async look(): Promise<void> {
    const present = this.options.carriers.present();
    const seen = JSON.stringify(present.map(notable));
    const now = performance.now();
    const isDue = present.length > 0 && now - this.#writtenAt >= REFRESH_MS;
    if (seen === this.#written && !isDue) return;
    const seconds = Math.max(0.001, (now - this.#writtenAt) / 1_000);
    await writeReports(
      this.options.pool,
      this.#process,
      present.map((each) => this.#report(each, seconds)),
    );
    this.#written = seen;
    this.#writtenAt = now;
    this.options.onWritten();
  }

  /** Takes back what this process has said. */
  override async stop(): Promise<void> {
    await super.stop();
    if (this.#written === '[]') return;
    this.#written = '[]';
    await writeReports(this.options.pool, this.#process, []).catch((error) => {
      this.options.log.warn({ err: error }, 'the reports on carriers could not be taken back');
    });
  }

  #report(present: PresentCarrier, seconds: number): CarrierReport {
    const { name, carrier } = present;
    const { state, reason } = stateOf(present);
    const known = this.#states.get(name);
    const since = known?.state === state ? known.since : this.options.clock.now();
    this.#states.set(name, { state, since });
    const { inHand, taken, lastError } = this.options.carriers.activity.collect(name);
    return {
      carrier: name,
      state,
      since,
      reason,
      connections: carrier?.connections?.() ?? [],
      ratePerSecond: Math.round((taken / seconds) * 10) / 10,
      inHand,
      lastError: lastError?.text ?? null,
      lastErrorAt: lastError?.at ?? null,
    };
  }
}

/** What is written down at once when it changes. */
function notable(present: PresentCarrier) {
  const connections = present.carrier?.connections?.() ?? [];
  return [present.name, stateOf(present), connections.map(({ isUp, lastError }) => [isUp, lastError])];
}

function stateOf({ carrier, reason }: PresentCarrier): { state: ReportedState; reason: string | null } {
  if (!carrier) return { state: 'unusable', reason };
  const state = carrier.state();
  if (state.up) return { state: 'up', reason: null };
  const connections = carrier.connections?.() ?? [];
  const isUp = connections.some((connection) => connection.isUp);
  // One that only receives takes no messages, and is well all the same.
  if (isUp && !connections.some(({ sends }) => sends)) return { state: 'up', reason: null };
  const isLimited =
    connections.length > 0 ? connections.some((each) => each.isUp && each.sends) : state.until !== undefined;
  return { state: isLimited ? 'limited' : 'down', reason: state.reason ?? null };
}
