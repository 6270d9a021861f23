import type pg from 'pg';
import type { Logger } from 'pino';
import { LockedAccounts } from '../../accounts/locked-accounts.js';
import { createCallbackDispatcher } from '../../carriers/callbacks/dispatch.js';
import type { UnmatchedFilter } from '../../carriers/callbacks/unmatched/find-store.js';
import { type ReplayCounts, replayUnmatched } from '../../carriers/callbacks/unmatched/replay.js';
import { ReportSeal } from '../../carriers/callbacks/unmatched/report-seal.js';
import type { CarrierType } from '../../carriers/carrier-type.js';
import { ReceiptDesk } from '../../messages/status/receipt-desk.js';
import { StatusWriter } from '../../messages/status/status-writer.js';
import type { Clock } from '../../platform/clock.js';
import { LiveFeed } from '../../platform/live/live-feed.js';
import { LONG_TIMEOUT_MS } from '../../platform/store/connections/pool.js';
import { callbackSinks } from './carrier-sinks.js';

export interface ReplayOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  types: readonly CarrierType[];
  /** See `reportKeys`. */
  keys: readonly string[];
  fetchesMedia: boolean;
}

/** Servers may be running or stopped while stored reports are processed again. */
export async function replayReports(options: ReplayOptions, filter: UnmatchedFilter): Promise<ReplayCounts> {
  const { pool, log, types, keys } = options;
  const writer = new StatusWriter({
    ...options,
    traces: null,
    lockedAccounts: new LockedAccounts(pool, LONG_TIMEOUT_MS),
  });
  const receipts = new ReceiptDesk({ pool, log, writer });
  const live = new LiveFeed({ pool, log });
  const sinks = callbackSinks({ ...options, receipts, live, acceptor: null });
  const apply = createCallbackDispatcher({ types, pool, log, sinks });
  const onFailure = (id: string, { name }: Error) =>
    log.warn({ report: id, error: name }, 'a carrier report could not be processed and is kept');
  try {
    return await replayUnmatched({ pool, seal: new ReportSeal(keys), apply, onFailure }, filter);
  } finally {
    await writer.close();
    await receipts.idle();
    await live.close();
  }
}
