import type pg from 'pg';
import { FIRST_ID } from '../../../platform/ids.js';
import { isStoreAway } from '../../../platform/store/failures.js';
import { type ClaimedCallback, deleteCallbacks } from '../callback-store.js';
import type { KeptFilter } from './find-store.js';
import { deleteAndKeep } from './keep-store.js';
import { deleteKept, type KeptBody, readKept, readSetAside } from './replay-store.js';
import { type ReportSeal, UnopenedReportError } from './report-seal.js';
import type { UnusedReport } from './unused-report.js';

/** Reports that are read at once; each is applied by itself. */
const BATCH = 100;

export interface ReplayOptions {
  pool: pg.Pool;
  seal: ReportSeal;
  /** Does what callbacks say, and returns what of them it does not use; as for the runner. */
  apply(callbacks: readonly ClaimedCallback[]): Promise<readonly UnusedReport[]>;
  /** Told of what could not be applied, by the name of its error: the words may hold a text. */
  onFailure?(id: string, error: Error): void;
}

/** What came of reports that were played again. */
export interface Replayed {
  /** Done now, and kept no more. */
  applied: number;
  /** Not used by this version either: they stay. */
  unknown: number;
  /** Sealed under a secret that is not set: they stay. */
  unopened: number;
  /** That failed again: they stay. */
  failed: number;
}

/**
 * Plays kept reports again, the oldest first, and callbacks that were set aside: by an id or a kind, kept reports alone. A
 * report is removed once it is applied; who dies in between applies it once more, which changes nothing.
 */
export async function replayKept(options: ReplayOptions, filter: KeptFilter): Promise<Replayed> {
  const done: Replayed = { applied: 0, unknown: 0, unopened: 0, failed: 0 };
  const { pool } = options;
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const reports = await readKept(pool, filter, { after, limit: BATCH });
    for (const report of reports) {
      await counted(options, done, report.id, async () => ((await playOne(options, report)) ? 'applied' : 'unknown'));
    }
    after = reports.at(-1)?.id;
  }
  // Last: what of these is kept would else be played twice.
  if (filter.id === undefined && filter.kind === undefined) await replaySetAside(options, filter, done);
  return done;
}

/**
 * Does what a kept report says; then it is kept no more.
 * @returns whether all of it was used: else it stays
 * @throws {UnopenedReportError} where it is sealed under another secret; whatever it cannot be applied for
 */
export async function playOne(
  { pool, seal, apply }: Pick<ReplayOptions, 'pool' | 'seal' | 'apply'>,
  { id, carrier, receivedAt, ...sealed }: KeptBody,
): Promise<boolean> {
  const unused = await apply([{ id: '0', carrier, receivedAt, body: seal.open(sealed), attempts: 1 }]);
  if (unused.length > 0) return false;
  await deleteKept(pool, id);
  return true;
}

async function replaySetAside(options: ReplayOptions, filter: KeptFilter, done: Replayed): Promise<void> {
  const { pool, seal, apply } = options;
  for (let after: string | undefined = '0'; after !== undefined; ) {
    const callbacks: ClaimedCallback[] = await readSetAside(pool, filter, { after, limit: BATCH });
    for (const callback of callbacks) {
      await counted(options, done, callback.id, async () => {
        const unused = await apply([callback]);
        if (unused.length === 0) await deleteCallbacks(pool, [callback.id]);
        else await deleteAndKeep(pool, [callback.id], unused, seal);
        return unused.length === 0 ? 'applied' : 'unknown';
      });
    }
    after = callbacks.at(-1)?.id;
  }
}

async function counted(
  { onFailure }: ReplayOptions,
  done: Replayed,
  id: string,
  act: () => Promise<'applied' | 'unknown'>,
): Promise<void> {
  try {
    done[await act()] += 1;
  } catch (error) {
    if (isStoreAway(error)) throw error;
    done[error instanceof UnopenedReportError ? 'unopened' : 'failed'] += 1;
    onFailure?.(id, error as Error);
  }
}
