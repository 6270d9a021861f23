import type pg from 'pg';
import { FIRST_ID } from '../../../platform/ids.js';
import { isStoreUnreachable } from '../../../platform/store/failures.js';
import { type ClaimedCallback, deleteCallbacks } from '../callback-store.js';
import type { UnmatchedFilter } from './find-store.js';
import { deleteUnmatched, readSetAside, readUnmatched, type UnmatchedBody } from './replay-store.js';
import { type ReportSeal, UnopenedReportError } from './report-seal.js';
import type { UnmatchedReport } from './unmatched-report.js';
import { replaceWithUnmatched } from './unmatched-store.js';

const BATCH_SIZE = 100;

export interface ReplayOptions {
  pool: pg.Pool;
  seal: ReportSeal;
  apply(callbacks: readonly ClaimedCallback[]): Promise<readonly UnmatchedReport[]>;
  /** Callers should log only the error's name, because the error's message may quote the text of a message to a person. */
  onFailure?(id: string, error: Error): void;
}

export interface ReplayCounts {
  /** Applied and deleted. */
  applied: number;
  unknown: number;
  /** Number of reports that remain stored because they are encrypted with a secret that this server does not have. */
  unopened: number;
  /** Failed again; still stored. */
  failed: number;
}

/** Replays reports, oldest first. Callbacks that were set aside are also replayed, unless the filter has an ID or a kind. */
export async function replayUnmatched(options: ReplayOptions, filter: UnmatchedFilter): Promise<ReplayCounts> {
  const counts: ReplayCounts = { applied: 0, unknown: 0, unopened: 0, failed: 0 };
  const { pool } = options;
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const reports = await readUnmatched(pool, filter, { after, limit: BATCH_SIZE });
    for (const report of reports) {
      await countResult(options, counts, report.id, async () =>
        (await replayReport(options, report)) ? 'applied' : 'unknown',
      );
    }
    after = reports.at(-1)?.id;
  }
  // Callbacks are replayed last, because their unmatched parts become new reports, which would otherwise be replayed again.
  if (filter.id === undefined && filter.kind === undefined) await replaySetAside(options, filter, counts);
  return counts;
}

/**
 * Returns true if every part of the report was applied, in which case the report was deleted.
 * @throws {UnopenedReportError}
 */
export async function replayReport(
  { pool, seal, apply }: Pick<ReplayOptions, 'pool' | 'seal' | 'apply'>,
  { id, carrier, receivedAt, ...sealed }: UnmatchedBody,
): Promise<boolean> {
  const unmatched = await apply([{ id: '0', carrier, receivedAt, body: seal.open(sealed), attempts: 1 }]);
  if (unmatched.length > 0) return false;
  await deleteUnmatched(pool, id);
  return true;
}

async function replaySetAside(options: ReplayOptions, filter: UnmatchedFilter, counts: ReplayCounts): Promise<void> {
  const { pool, seal, apply } = options;
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const callbacks: ClaimedCallback[] = await readSetAside(pool, filter, { after, limit: BATCH_SIZE });
    for (const callback of callbacks) {
      await countResult(options, counts, callback.id, async () => {
        const unmatched = await apply([callback]);
        if (unmatched.length === 0) await deleteCallbacks(pool, [callback.id]);
        else await replaceWithUnmatched(pool, [callback.id], unmatched, seal);
        return unmatched.length === 0 ? 'applied' : 'unknown';
      });
    }
    after = callbacks.at(-1)?.id;
  }
}

async function countResult(
  { onFailure }: ReplayOptions,
  counts: ReplayCounts,
  id: string,
  replay: () => Promise<'applied' | 'unknown'>,
): Promise<void> {
  try {
    counts[await replay()] += 1;
  } catch (error) {
    if (isStoreUnreachable(error)) throw error;
    counts[error instanceof UnopenedReportError ? 'unopened' : 'failed'] += 1;
    onFailure?.(id, error as Error);
  }
}
