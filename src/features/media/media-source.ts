import type pg from 'pg';
import { CarrierError } from '../../carriers/carrier-error.js';
import type { CarrierCopy, MediaSource, OwnMedia } from '../../carriers/media/carrier-media.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { claimCopy, deleteCopy, findCopy, recordCopy, releaseCopy, renewCopy } from './copies-store.js';
import type { MediaFiles } from './files/media-files.js';
import { findStoredMedia } from './media-store.js';

const UPLOAD_RETRY_MS = 2_000;
const RENEW_INTERVAL_MS = 20_000;

export interface MediaSourceOptions {
  pool: pg.Pool;
  clock: Clock;
  files: MediaFiles;
}

type Copy = Awaited<ReturnType<MediaSource['ensureCopy']>>;

export class ChannelMedia implements MediaSource {
  readonly #options: MediaSourceOptions;
  /** By file and location. */
  readonly #uploads = new Map<string, Promise<Copy>>();

  constructor(options: MediaSourceOptions) {
    this.#options = options;
  }

  async find(channelId: string, mediaId: string): Promise<OwnMedia | null> {
    const { pool, files } = this.#options;
    const [row] = await findStoredMedia(pool, channelId, [mediaId]);
    if (!row) return null;
    const { id, mimeType, size, filename } = row;
    return { mimeType, size: size ?? 0, filename, open: () => files.read(id) };
  }

  async ensureCopy(mediaId: string, location: string, uploadFile: () => Promise<CarrierCopy>): Promise<Copy> {
    const { pool, clock } = this.#options;
    const key = `${mediaId} ${location}`;
    const running = this.#uploads.get(key);
    if (running) return running;
    const work = async (): Promise<Copy> => {
      const existingId = await findCopy(pool, mediaId, location, clock.now());
      return existingId === null
        ? await this.#upload(mediaId, location, uploadFile)
        : { carrierMediaId: existingId, isNew: false };
    };
    const upload = work().finally(() => this.#uploads.delete(key));
    this.#uploads.set(key, upload);
    return upload;
  }

  forgetCopy(mediaId: string, location: string, carrierMediaId: string): Promise<void> {
    return deleteCopy(this.#options.pool, mediaId, location, carrierMediaId);
  }

  async #upload(mediaId: string, location: string, uploadFile: () => Promise<CarrierCopy>): Promise<Copy> {
    const { pool, clock } = this.#options;
    const claim = newId();
    if (!(await claimCopy(pool, mediaId, location, { claim, now: clock.now() }))) {
      const reason = 'Another process is uploading the file to the carrier.';
      throw CarrierError.throttled(UPLOAD_RETRY_MS, 'MEDIA_UPLOADING', reason);
    }
    const timer = setInterval(
      () => void renewCopy(pool, mediaId, location, claim).catch(() => undefined),
      RENEW_INTERVAL_MS,
    );
    try {
      const copy = await uploadFile();
      await recordCopy(pool, mediaId, location, copy);
      return { carrierMediaId: copy.carrierMediaId, isNew: true };
    } catch (error) {
      // If the claim cannot be released because the database is unavailable, its lease expires later.
      await releaseCopy(pool, mediaId, location, claim).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(timer);
    }
  }
}
