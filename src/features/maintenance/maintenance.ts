import type pg from 'pg';
import type { Logger } from 'pino';
import { sweepOperators } from '../../accounts/operators/sweep-store.js';
import { sweepKept } from '../../carriers/callbacks/kept/sweep-store.js';
import { sweepCallbacks } from '../../carriers/callbacks/sweep-store.js';
import { sweepCalls } from '../../carriers/http/sweep-store.js';
import { sweepSpent } from '../../messages/accept/guard/sweep-store.js';
import { sweepChanges } from '../../messages/changes/sweep-store.js';
import { sweepCounts } from '../../messages/counters/sweep-store.js';
import { settleParted } from '../../messages/rows/party-store.js';
import { sweepMessages } from '../../messages/rows/sweep-store.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { isStoreAway } from '../../platform/store/failures.js';
import type { RetentionOptions } from '../../platform/store/sweep.js';
import { sweepRuns } from '../automations/sweep-store.js';
import { sweepImports } from '../contacts/import/job-store.js';
import { settleNamed } from '../conversations/sending/named-store.js';
import { sweepFallbacks } from '../fallbacks/sweep-store.js';
import { receiveIncompleteSms } from '../inbound/receive-sms.js';
import { sweepInbound } from '../inbound/sweep-store.js';
import { sweepUsage } from '../usage/sweep-store.js';
import { sweepVerifications } from '../verifications/sweep-store.js';
import { sweepDeliveries } from '../webhooks/sweep-store.js';
import { daysInWholeMonths, keepMonthsAhead } from './months.js';

const EVERY_MS = 60_000;
/** Rows that one statement deletes unless told. */
const STEP = 5_000;

/** Each deletes what has served its time in the tables of its owner, or settles what waited there for a look. */
const SWEEPS: readonly ((options: RetentionOptions & { keptDays: number }) => Promise<void>)[] = [
  settleParted,
  settleNamed,
  sweepMessages,
  sweepCallbacks,
  sweepKept,
  sweepCalls,
  sweepInbound,
  sweepUsage,
  sweepVerifications,
  sweepDeliveries,
  sweepFallbacks,
  sweepRuns,
  sweepImports,
  sweepCounts,
  sweepSpent,
  sweepChanges,
  sweepOperators,
];

export interface MaintenanceOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  /** After how many days a message or a run that nothing more can happen to is deleted; 0 keeps all. */
  retentionDays: number;
  /** Whether messages that are divided by months stay until that is over for all of their month; false unless told. */
  inWholeMonths?: boolean;
  /** After how many days a report that was kept is deleted; 0 keeps all. */
  keptDays?: number;
  /** Rows that one statement deletes; 5,000 unless told. */
  step?: number;
}

/** Deletes what has served its time, a few thousand rows at once. Any number of processes may run it. */
export class Maintenance extends BackgroundWork<MaintenanceOptions> {
  /** Rows that this process deleted since its start, by table. */
  readonly deleted = new Map<string, number>();
  /** How many months beyond the present one have a table of messages; null: they have none, or nobody has looked yet. */
  monthsAhead: number | null = null;
  #prepared: Promise<void> | null = null;

  constructor(options: MaintenanceOptions) {
    super(options, { everyMs: EVERY_MS, failure: 'old rows could not be deleted' });
  }

  /** Looks at once whether a month must be made, or a border be taken back that ids reach; at all else a minute later. */
  override start(): void {
    super.start(EVERY_MS);
    this.#prepared = keepMonthsAhead(this.options).then(
      (months) => {
        this.monthsAhead = months;
      },
      (err: unknown) => this.options.log.debug({ err }, 'the months ahead could not be looked at; that is tried again'),
    );
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#prepared;
  }

  protected override look(signal: AbortSignal): Promise<void> {
    return this.sweep(signal);
  }

  /**
   * Deletes everything that is due now, and stores longer inbound SMS whose missing parts will not come any more. What fails
   * for one table does not keep it from the others.
   * @param signal ends it after the statement under way
   * @throws what failed, after all else was done
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { pool, clock, inWholeMonths = false, keptDays = 0, step = STEP } = this.options;
    const stopped = () => signal?.aborted ?? false;
    const deleted: Record<string, number> = {};
    const onDeleted = (table: string, rows: number) => {
      deleted[table] = (deleted[table] ?? 0) + rows;
      this.deleted.set(table, (this.deleted.get(table) ?? 0) + rows);
    };
    const failures: unknown[] = [];
    const now = clock.now();
    try {
      this.monthsAhead = await keepMonthsAhead(this.options);
      const waits = inWholeMonths && this.monthsAhead !== null;
      const retentionDays = waits ? daysInWholeMonths(now, this.options.retentionDays) : this.options.retentionDays;
      const options = { pool, now, step, stopped, retentionDays, inWholeMonths: waits, keptDays, onDeleted };
      for (const sweep of [...SWEEPS, () => receiveIncompleteSms(this.options)]) {
        if (stopped()) break;
        await sweep(options).catch((error: unknown) => {
          // Of a store that is away nothing is to be had; else what is wrong with one table is nothing to the others.
          if (isStoreAway(error)) throw error;
          failures.push(error);
        });
      }
    } finally {
      // Also where a later statement failed: what is gone is gone.
      if (Object.keys(deleted).length > 0) this.options.log.info({ deleted }, 'old rows were deleted');
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length === 1) throw failures[0];
  }
}
