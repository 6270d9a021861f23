import type pg from 'pg';
import { CarrierError } from '../../carriers/carrier-error.js';
import type { CarrierCopy, MediaSource, OwnMedia } from '../../carriers/media/carrier-media.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { claimCopy, findCopy, forgetCopy, noteCopy, releaseCopy, renewCopy } from './copies-store.js';
import type { MediaFiles } from './files/media-files.js';
import { findKept } from './media-store.js';

/** After how long a message asks again whose file another process hands over. */
const ANOTHER_UPLOADS_MS = 2_000;
const RENEW_MS = 20_000;

export interface MediaSourceOptions {
  pool: pg.Pool;
  clock: Clock;
  files: MediaFiles;
}

type Copy = Awaited<ReturnType<MediaSource['copyOf']>>;

/** The files of channels, for the carriers of a process that sends. */
export class ChannelMedia implements MediaSource {
  readonly #options: MediaSourceOptions;
  /** Those that this process hands over now, by file and place. */
  readonly #underWay = new Map<string, Promise<Copy>>();

  constructor(options: MediaSourceOptions) {
    this.#options = options;
  }

  async find(channelId: string, mediaId: string): Promise<OwnMedia | null> {
    const { pool, files } = this.#options;
    const [row] = await findKept(pool, channelId, [mediaId]);
    if (!row) return null;
    const { id, mimeType, size, filename } = row;
    return { mimeType, size: size ?? 0, filename, open: () => files.read(id) };
  }

  async copyOf(mediaId: string, place: string, handOver: () => Promise<CarrierCopy>): Promise<Copy> {
    const { pool, clock } = this.#options;
    const key = `${mediaId} ${place}`;
    const underWay = this.#underWay.get(key);
    if (underWay) return underWay;
    const work = async (): Promise<Copy> => {
      const known = await findCopy(pool, mediaId, place, clock.now());
      return known === null ? await this.#make(mediaId, place, handOver) : { carrierMediaId: known, isNew: false };
    };
    const made = work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, made);
    return made;
  }

  forgetCopy(mediaId: string, place: string, carrierMediaId: string): Promise<void> {
    return forgetCopy(this.#options.pool, mediaId, place, carrierMediaId);
  }

  async #make(mediaId: string, place: string, handOver: () => Promise<CarrierCopy>): Promise<Copy> {
    const { pool, clock } = this.#options;
    const claim = newId();
    if (!(await claimCopy(pool, mediaId, place, { claim, now: clock.now() }))) {
      const why = 'Another process hands the file over to the carrier at the moment.';
      throw CarrierError.throttled(ANOTHER_UPLOADS_MS, 'MEDIA_UPLOADING', why);
    }
    const timer = setInterval(() => void renewCopy(pool, mediaId, place, claim).catch(() => undefined), RENEW_MS);
    try {
      const copy = await handOver();
      await noteCopy(pool, mediaId, place, copy);
      return { carrierMediaId: copy.carrierMediaId, isNew: true };
    } catch (error) {
      // Where the store is away, the lease runs out.
      await releaseCopy(pool, mediaId, place, claim).catch(() => undefined);
      throw error;
    } finally {
      clearInterval(timer);
    }
  }
}
