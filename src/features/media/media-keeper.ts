import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { AppError } from '../../platform/errors/app-error.js';
import { FIRST_ID } from '../../platform/ids.js';
import type { MediaFetcher } from './fetch-received.js';
import type { MediaOptions } from './media.js';
import { claimDue, stopRetrying } from './received-store.js';
import { deleteRow, findRemoved, giveUpUnfinished, removeExpired } from './sweep-store.js';

const SWEEP_INTERVAL_MS = 15_000;
const BATCH_ROWS = 500;
const MAX_DOWNLOADS = 4;
const DOWNLOAD_RETRY_MS = 10 * 60_000;
/** How long Meta keeps a received file available (Meta, "Media"). */
const AVAILABLE_MS = 7 * 24 * 60 * 60 * 1000;

export interface KeeperOptions extends Pick<MediaOptions, 'pool' | 'clock' | 'files'> {
  log: Logger;
  fetcher: Pick<MediaFetcher, 'fetch'>;
  /** 0 keeps files forever. */
  retentionDays: number;
}

export class MediaKeeper extends BackgroundWork<KeeperOptions> {
  constructor(options: KeeperOptions) {
    super(options, { everyMs: SWEEP_INTERVAL_MS, failure: 'could not clean up files' });
  }

  protected override async poll(signal: AbortSignal): Promise<void> {
    try {
      await this.sweep(signal);
    } finally {
      await this.fetch(signal);
    }
  }

  async sweep(signal?: AbortSignal): Promise<void> {
    const { pool, clock, files, log, retentionDays } = this.options;
    await giveUpUnfinished(pool, BATCH_ROWS);
    while (retentionDays > 0 && !signal?.aborted) {
      if ((await removeExpired(pool, clock.now(), retentionDays, BATCH_ROWS)) < BATCH_ROWS) break;
    }
    let removed = 0;
    for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
      const ids: string[] = await findRemoved(pool, after, BATCH_ROWS);
      for (const id of ids) {
        if (signal?.aborted) return;
        const isRemoved = await files.remove(id).then(
          () => true,
          (error: unknown) => {
            log.warn({ err: error, mediaId: id }, 'could not remove a file; it will be retried');
            return false;
          },
        );
        if (!isRemoved) continue;
        await deleteRow(pool, id);
        removed += 1;
      }
      after = ids.length === BATCH_ROWS ? ids.at(-1) : undefined;
    }
    if (removed > 0) log.info({ removed }, 'removed files');
  }

  async fetch(signal?: AbortSignal): Promise<void> {
    const { pool, clock, log, fetcher } = this.options;
    while (!signal?.aborted) {
      const now = clock.now();
      const retryAt = new Date(now.getTime() + DOWNLOAD_RETRY_MS);
      const oldest = new Date(now.getTime() - AVAILABLE_MS);
      const dueFiles = await claimDue(pool, { now, retryAt, oldest, step: MAX_DOWNLOADS });
      await Promise.all(
        dueFiles.map(async ({ id, carrierMediaId, channel }) => {
          if (!channel) return;
          try {
            await fetcher.fetch(channel, { id, carrierMediaId });
          } catch (error) {
            if (error instanceof AppError && error.code !== 'UNAVAILABLE') await stopRetrying(pool, id);
            log.warn({ err: error, mediaId: id }, 'could not download a received file');
          }
        }),
      );
      if (dueFiles.length < MAX_DOWNLOADS) return;
    }
  }
}
