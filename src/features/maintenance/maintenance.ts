import type pg from 'pg';
import type { Logger } from 'pino';
import { deleteExpiredSignIns } from '../../accounts/operators/sweep-store.js';
import { sweepCallbacks } from '../../carriers/callbacks/sweep-store.js';
import { sweepUnmatched } from '../../carriers/callbacks/unmatched/sweep-store.js';
import { sweepCalls } from '../../carriers/http/sweep-store.js';
import { sweepSpendCounts } from '../../messages/accept/guard/sweep-store.js';
import { sweepChanges } from '../../messages/changes/sweep-store.js';
import { sweepCounts } from '../../messages/counters/sweep-store.js';
import { relinkPartedConversations } from '../../messages/stored-messages/contact-links-store.js';
import { sweepMessages } from '../../messages/stored-messages/sweep-store.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import type { RetentionOptions } from '../../platform/store/sweep.js';
import { sweepRuns } from '../automations/sweep-store.js';
import { sweepDeletedFields } from '../contacts/custom/sweep-store.js';
import { sweepImports } from '../contacts/import/job-store.js';
import { settleNamedConversations } from '../conversations/sending/named-conversations-store.js';
import { sweepFallbacks } from '../fallbacks/sweep-store.js';
import { type ReceiveSmsOptions, receiveIncompleteSms } from '../inbound/receive-sms.js';
import { sweepInbound } from '../inbound/sweep-store.js';
import { sweepLinks } from '../links/sweep-store.js';
import { sweepUsage } from '../usage/sweep-store.js';
import { sweepVerifications } from '../verifications/sweep-store.js';
import { sweepDeliveries } from '../webhooks/sweep-store.js';
import { ensureMonthsAhead, roundUpToWholeMonths } from './months-ahead.js';

const INTERVAL_MS = 60_000;
const DEFAULT_STEP = 5_000;

/** Each function deletes expired rows of one feature, or finishes work that a stopped process left behind. */
const SWEEPS: readonly ((options: RetentionOptions & { keptDays: number }) => Promise<void>)[] = [
  relinkPartedConversations,
  settleNamedConversations,
  sweepMessages,
  sweepCallbacks,
  sweepUnmatched,
  sweepCalls,
  sweepInbound,
  sweepUsage,
  sweepVerifications,
  sweepDeliveries,
  sweepFallbacks,
  sweepLinks,
  sweepRuns,
  sweepImports,
  sweepDeletedFields,
  sweepCounts,
  sweepSpendCounts,
  sweepChanges,
  deleteExpiredSignIns,
];

export interface MaintenanceOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  /** Days until finished messages and automation runs are deleted; 0 keeps them forever. */
  retentionDays: number;
  /** Whether partitioned messages are deleted only when their whole month has expired. */
  inWholeMonths?: boolean;
  /** Days until unmatched reports are deleted; 0 keeps them forever. */
  keptDays?: number;
  /** Rows per DELETE statement. */
  step?: number;
  /** Sends replies to STOP, START and HELP in overdue messages; without it, they get no reply. */
  acceptor?: ReceiveSmsOptions['acceptor'];
}

export class Maintenance extends BackgroundWork<MaintenanceOptions> {
  /** By table. */
  readonly deleted = new Map<string, number>();
  /** Partitions beyond the current month; null if messages are not partitioned or not checked yet. */
  monthsAhead: number | null = null;
  #preparation: Promise<void> | null = null;

  constructor(options: MaintenanceOptions) {
    super(options, { everyMs: INTERVAL_MS, failure: 'could not delete old rows' });
  }

  /** Checks the monthly partitions immediately, and starts all other maintenance a minute later. */
  override start(): void {
    super.start(INTERVAL_MS);
    this.#preparation = ensureMonthsAhead(this.options).then(
      (months) => {
        this.monthsAhead = months;
      },
      (err: unknown) => this.options.log.debug({ err }, 'could not check the monthly partitions; will be retried'),
    );
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#preparation;
  }

  protected override poll(signal: AbortSignal): Promise<void> {
    return this.sweep(signal);
  }

  /**
   * Continues with the other tables if one fails, and throws all failures at the end. An aborted signal stops the sweep
   * after the current statement.
   */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { pool, clock, inWholeMonths = false, keptDays = 0, step = DEFAULT_STEP } = this.options;
    const isStopped = () => signal?.aborted ?? false;
    const deleted: Record<string, number> = {};
    const onDeleted = (table: string, rows: number) => {
      deleted[table] = (deleted[table] ?? 0) + rows;
      this.deleted.set(table, (this.deleted.get(table) ?? 0) + rows);
    };
    const failures: unknown[] = [];
    const now = clock.now();
    try {
      this.monthsAhead = await ensureMonthsAhead(this.options);
      const keepsWholeMonths = inWholeMonths && this.monthsAhead !== null;
      const retentionDays = keepsWholeMonths
        ? roundUpToWholeMonths(now, this.options.retentionDays)
        : this.options.retentionDays;
      const options = {
        pool,
        now,
        step,
        isStopped,
        retentionDays,
        inWholeMonths: keepsWholeMonths,
        keptDays,
        onDeleted,
      };
      for (const sweep of [...SWEEPS, () => receiveIncompleteSms({ acceptor: null, ...this.options })]) {
        if (isStopped()) break;
        await sweep(options).catch((error: unknown) => {
          if (isStoreUnreachable(error)) throw error;
          failures.push(error);
        });
      }
    } finally {
      if (Object.keys(deleted).length > 0) this.options.log.info({ deleted }, 'old rows were deleted');
    }
    if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join('; '));
    if (failures.length === 1) throw failures[0];
  }
}
