import type pg from 'pg';
import type { Logger } from 'pino';
import { deleteOrphans } from '../../messages/stored-messages/orphans-store.js';
import { BackupError } from '../../platform/backup/dump.js';
import { loadDump, requireUnused } from '../../platform/backup/load-store.js';
import { openBackupConnection, withSnapshot } from '../../platform/backup/snapshot-store.js';
import type { Clock } from '../../platform/clock.js';
import { isOutcomeUnknown } from '../../platform/store/failures.js';
import { applyMigrations } from '../../platform/store/migrations/migrate.js';
import { markMoved } from '../../platform/store/moved-store.js';
import { describeStoreUrl } from '../../platform/store/redact-url.js';
import { type CopySummary, describeHead, type OnFilled, type OnRows } from './backup.js';
import { sumStore } from './sums-store.js';

export interface MoveOptions {
  from: string;
  to: string;
  log: Logger;
  clock: Clock;
  onRows?: OnRows;
  onFilled?: OnFilled;
}

/**
 * Copies a store to an empty one. Marks the old store as moved before committing the rows, so that a server which
 * starts in between finds the mark or is detected.
 * @returns `isMarked` is false if the old store cannot be marked, for example because it is read-only.
 * @throws {BackupError} Fails if a server uses either store, or starts to use it during the copy.
 */
export async function moveStore(options: MoveOptions): Promise<CopySummary & { isMarked: boolean }> {
  const { from, to, log, clock } = options;
  const markConnection = await openBackupConnection(from);
  const movedMark = new MovedMark(markConnection, log);
  try {
    await requireUnused(markConnection);
    const result = await withSnapshot({ url: from, sums: sumStore, clock }, async (dump) => {
      let rows = 0;
      const reportedRows = new Map<string, number>();
      await loadDump({
        url: to,
        dump,
        sums: sumStore,
        beforeCommit: async (client) => {
          await deleteOrphans(client);
          await options.onFilled?.(client, { ...describeHead(dump.head), rows });
          await movedMark.set({ to: describeStoreUrl(to), at: clock.now().toISOString() });
          await requireUnused(markConnection);
          movedMark.state = 'committing';
        },
        onCommitted: () => {
          movedMark.state = 'committed';
        },
        onRows: (table, count) => {
          rows += count - (reportedRows.get(table) ?? 0);
          reportedRows.set(table, count);
          options.onRows?.(table, count);
        },
      });
      return { ...describeHead(dump.head), rows };
    });
    await applyMigrations({ url: to, log });
    return { ...result, isMarked: movedMark.isSet };
  } catch (error) {
    throw await movedMark.handleFailure(error);
  } finally {
    await markConnection.end();
  }
}

const STILL_MARKED =
  'marked as moved. If the other store is empty, run "heliograph store reclaim --yes" to remove the mark; then move again.';

/** The mark remains on the old store if the new store contains the rows or may contain them. */
class MovedMark {
  isSet = false;
  state: 'filling' | 'committing' | 'committed' = 'filling';
  readonly #guard: pg.Client;
  readonly #log: Logger;

  constructor(guard: pg.Client, log: Logger) {
    this.#guard = guard;
    this.#log = log;
  }

  async set(target: { to: string; at: string }): Promise<void> {
    try {
      await markMoved(this.#guard, target);
      this.isSet = true;
    } catch (error) {
      this.#log.warn({ err: error }, 'could not mark the old store as moved');
    }
  }

  /**
   * Removes the mark if the other store certainly does not contain the rows.
   * @returns The error to throw
   */
  async handleFailure(error: unknown): Promise<unknown> {
    if (!this.isSet || this.state === 'committed') return error;
    if (this.state === 'committing' && isOutcomeUnknown(error)) {
      return new BackupError(
        `It is not known whether the other store contains the rows, so this store stays ${STILL_MARKED}`,
        {
          cause: error,
        },
      );
    }
    try {
      await markMoved(this.#guard, null);
    } catch (problem) {
      this.#log.error({ err: problem }, `nothing was moved, but the store is still ${STILL_MARKED}`);
    }
    return error;
  }
}
