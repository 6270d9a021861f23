import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { AppError } from '../../platform/errors/app-error.js';
import { FIRST_ID } from '../../platform/ids.js';
import type { MediaFetcher } from './fetch-received.js';
import type { MediaOptions } from './media.js';
import { leaveAlone, takeDue } from './received-store.js';
import { deleteRow, findRemoved, giveUpUnfinished, removeOld } from './sweep-store.js';

const EVERY_MS = 15_000;
const STEP = 500;
/** Files of contacts that are fetched at once. */
const FETCHES = 4;
const AGAIN_MS = 10 * 60_000;
/** Meta hands out a file of a contact for so long (Meta, "Media"). */
const HANDED_OUT_MS = 7 * 24 * 60 * 60 * 1000;

export interface KeeperOptions extends Pick<MediaOptions, 'pool' | 'clock' | 'files'> {
  log: Logger;
  fetcher: Pick<MediaFetcher, 'fetch'>;
  /** After how many days files are deleted; 0 keeps them. */
  retentionDays: number;
}

/**
 * Removes the bytes of what was deleted, of what is old, and of what killed processes left; and fetches what contacts sent,
 * where it is to be had without being asked for. Any number of processes may run it.
 */
export class MediaKeeper extends BackgroundWork<KeeperOptions> {
  constructor(options: KeeperOptions) {
    super(options, { everyMs: EVERY_MS, failure: 'files could not be looked after' });
  }

  protected override async look(signal: AbortSignal): Promise<void> {
    try {
      await this.sweep(signal);
    } finally {
      await this.fetch(signal);
    }
  }

  /** Deletes everything that is due now. */
  async sweep(signal?: AbortSignal): Promise<void> {
    const { pool, clock, files, log, retentionDays } = this.options;
    await giveUpUnfinished(pool, STEP);
    while (retentionDays > 0 && !signal?.aborted) {
      if ((await removeOld(pool, clock.now(), retentionDays, STEP)) < STEP) break;
    }
    let removed = 0;
    for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
      const ids: string[] = await findRemoved(pool, after, STEP);
      for (const id of ids) {
        if (signal?.aborted) return;
        // Twice is once: another process may be at the same file.
        const isRemoved = await files.remove(id).then(
          () => true,
          (error: unknown) => {
            log.warn({ err: error, mediaId: id }, 'a file could not be removed; that is tried again');
            return false;
          },
        );
        if (!isRemoved) continue;
        await deleteRow(pool, id);
        removed += 1;
      }
      after = ids.length === STEP ? ids.at(-1) : undefined;
    }
    if (removed > 0) log.info({ removed }, 'files were removed');
  }

  /** Fetches everything that is due now. */
  async fetch(signal?: AbortSignal): Promise<void> {
    const { pool, clock, log, fetcher } = this.options;
    while (!signal?.aborted) {
      const now = clock.now();
      const again = new Date(now.getTime() + AGAIN_MS);
      const givenUp = new Date(now.getTime() - HANDED_OUT_MS);
      const due = await takeDue(pool, { now, again, givenUp, step: FETCHES });
      await Promise.all(
        due.map(async ({ id, carrierMediaId, channel }) => {
          // Of a channel that was deleted nothing is fetched.
          if (!channel) return;
          try {
            await fetcher.fetch(channel, { id, carrierMediaId });
          } catch (error) {
            if (error instanceof AppError && error.code !== 'UNAVAILABLE') await leaveAlone(pool, id);
            log.warn({ err: error, mediaId: id }, 'a file of a contact could not be fetched');
          }
        }),
      );
      if (due.length < FETCHES) return;
    }
  }
}
