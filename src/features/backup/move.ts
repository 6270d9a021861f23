import type pg from 'pg';
import type { Logger } from 'pino';
import { deleteOrphans } from '../../messages/rows/orphans-store.js';
import { BackupError } from '../../platform/backup/dump.js';
import { expectUnused, loadDump } from '../../platform/backup/load-store.js';
import { connectTo, withSnapshot } from '../../platform/backup/snapshot-store.js';
import type { Clock } from '../../platform/clock.js';
import { outcomeUnknown } from '../../platform/store/failures.js';
import { applyMigrations } from '../../platform/store/migrations/migrate.js';
import { markMoved } from '../../platform/store/moved-store.js';
import { placeOf } from '../../platform/store/place.js';
import { type Copied, describeHead, type OnFilled, type OnRows } from './backup.js';
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
 * Copies a store to another, which is empty, and brings that up to this version. The store that is left stays as it is,
 * and is marked, so that neither a server nor a command takes it for the living one. It is so before the rows are
 * committed: a server that starts in that moment is refused by the mark, or is found and ends the move.
 * @returns `isMarked`: false where the store that was left takes no mark, for instance because it can only be read
 * @throws {BackupError} when a server uses either, or begins to while the rows are on their way
 */
export async function moveStore(options: MoveOptions): Promise<Copied & { isMarked: boolean }> {
  const { from, to, log, clock } = options;
  const guard = await connectTo(from);
  const mark = new Mark(guard, log);
  try {
    await expectUnused(guard);
    const result = await withSnapshot({ url: from, sums: sumStore, clock }, async (dump) => {
      let rows = 0;
      const last = new Map<string, number>();
      await loadDump({
        url: to,
        dump,
        sums: sumStore,
        beforeCommit: async (client) => {
          await deleteOrphans(client);
          await options.onFilled?.(client, { ...describeHead(dump.head), rows });
          await mark.set({ to: placeOf(to), at: clock.now().toISOString() });
          await expectUnused(guard);
          mark.state = 'committing';
        },
        onCommitted: () => {
          mark.state = 'committed';
        },
        onRows: (table, count) => {
          rows += count - (last.get(table) ?? 0);
          last.set(table, count);
          options.onRows?.(table, count);
        },
      });
      return { ...describeHead(dump.head), rows };
    });
    await applyMigrations({ url: to, log });
    return { ...result, isMarked: mark.isSet };
  } catch (error) {
    throw await mark.afterFailure(error);
  } finally {
    await guard.end();
  }
}

const STAYS_MARKED =
  'marked as moved. Where the other one is empty, "heliograph store reclaim --yes" takes the mark off; then move again.';

/** The mark of the store that is left, which stays where the rows are, or may be, in the other one. */
class Mark {
  isSet = false;
  /** How far the other store is. */
  state: 'filling' | 'committing' | 'committed' = 'filling';
  readonly #guard: pg.Client;
  readonly #log: Logger;

  constructor(guard: pg.Client, log: Logger) {
    this.#guard = guard;
    this.#log = log;
  }

  /** A store that takes no mark is left without. */
  async set(moved: { to: string; at: string }): Promise<void> {
    try {
      await markMoved(this.#guard, moved);
      this.isSet = true;
    } catch (error) {
      this.#log.warn({ err: error }, 'the store that was left could not be marked as moved');
    }
  }

  /** Takes the mark off where the rows are surely not in the other store. @returns what to throw */
  async afterFailure(error: unknown): Promise<unknown> {
    if (!this.isSet || this.state === 'committed') return error;
    if (this.state === 'committing' && outcomeUnknown(error)) {
      return new BackupError(`Whether the other store has the rows is not known, so this one is ${STAYS_MARKED}`, {
        cause: error,
      });
    }
    try {
      await markMoved(this.#guard, null);
    } catch (problem) {
      this.#log.error({ err: problem }, `nothing was moved, but the store is still ${STAYS_MARKED}`);
    }
    return error;
  }
}
