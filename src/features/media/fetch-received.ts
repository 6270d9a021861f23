import { setTimeout as pause } from 'node:timers/promises';
import { CarrierError } from '../../carriers/carrier-error.js';
import type { FetchedMedia } from '../../carriers/media/carrier-media.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { TemplateChannel } from '../../carriers/templates.js';
import { AppError } from '../../platform/errors/app-error.js';
import { newId } from '../../platform/ids.js';
import { labelledType } from './content-type.js';
import { Inspection } from './inspection.js';
import { Lease, NotWanted } from './lease.js';
import { bytesInWords, type MediaOptions } from './media.js';
import { bytesOf, findMedia, keep, type MediaRow } from './media-store.js';
import { claimReceived, releaseReceived } from './received-store.js';

/** How long another process that fetches a file is waited for, and how often is looked. */
const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 100;

export interface FetchOptions extends MediaOptions {
  carriers: Pick<CarrierRegistry, 'get' | 'findReceiving'>;
}

/** A channel whose carrier hands files out. */
export interface FetchingChannel extends TemplateChannel {
  accountId: string;
  carrier: string;
}

/** Fetches files that contacts sent. A process has one, so that a file for which many ask at once is fetched once. */
export class MediaFetcher {
  readonly #options: FetchOptions;
  /** Those that are being fetched, by id. */
  readonly #underWay = new Map<string, Promise<MediaRow>>();

  constructor(options: FetchOptions) {
    this.#options = options;
  }

  /**
   * Fetches a file from its carrier and keeps it.
   * @throws {AppError} GONE where the carrier hands it out no more; UNAVAILABLE where it may another time, and where its content is
   * another than was announced; PAYLOAD_TOO_LARGE for what may not be kept; NOT_FOUND where it was deleted
   */
  fetch(channel: FetchingChannel, media: Pick<MediaRow, 'id' | 'carrierMediaId'>): Promise<MediaRow> {
    const known = this.#underWay.get(media.id);
    if (known) return known;
    const fetched = fetchOnce(this.#options, channel, media).finally(() => this.#underWay.delete(media.id));
    this.#underWay.set(media.id, fetched);
    return fetched;
  }
}

async function fetchOnce(
  options: FetchOptions,
  channel: FetchingChannel,
  { id, carrierMediaId }: Pick<MediaRow, 'id' | 'carrierMediaId'>,
): Promise<MediaRow> {
  const { pool, files } = options;
  if (carrierMediaId === null) throw noMedia();
  const find = () => findMedia(options, { accountId: channel.accountId, channelId: channel.id }, id);
  const claim = newId();
  const kept = await claimOrFind(pool, { id, claim }, find);
  if (kept) return kept;
  // From now on: the carrier may take longer to answer than a lease lasts.
  const lease = new Lease(pool, id, claim);
  try {
    return await fetchClaimed(options, channel, { id, carrierMediaId, claim, lease });
  } catch (error) {
    await releaseReceived(pool, id, claim).catch(() => undefined);
    const found = await find().catch(() => undefined);
    // A process whose lease ran out was overtaken.
    if (found?.status === 'kept') return found;
    if (found !== null) throw error instanceof NotWanted ? underWay(error) : error;
    // Deleted meanwhile, which also takes away what is being written; or it was written behind that.
    await files.remove(id).catch(() => undefined);
    throw noMedia(error);
  } finally {
    lease.end();
  }
}

/**
 * Claims a file, unless another process keeps it by now or within some seconds.
 * @returns what is kept; null once it is claimed
 */
async function claimOrFind(
  pool: FetchOptions['pool'],
  { id, claim }: { id: string; claim: string },
  find: () => Promise<MediaRow | null>,
): Promise<MediaRow | null> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await claimReceived(pool, id, claim))) {
    const found = await find();
    if (!found) throw noMedia();
    if (found.status === 'kept') return found;
    if (performance.now() >= deadline) throw underWay();
    await pause(LOOK_EVERY_MS);
  }
  return null;
}

function underWay(cause?: unknown): AppError {
  return new AppError('UNAVAILABLE', 'The file is being fetched at the moment.', [], { cause });
}

function noMedia(cause?: unknown): AppError {
  return new AppError('NOT_FOUND', 'There is no media with this id.', [], { cause });
}

async function fetchClaimed(
  { pool, files, clock, carriers, mediaLimits: { fileBytes, accountBytes } }: FetchOptions,
  channel: FetchingChannel,
  { id, carrierMediaId, claim, lease }: { id: string; carrierMediaId: string; claim: string; lease: Lease },
): Promise<MediaRow> {
  if (accountBytes > 0 && (await bytesOf(pool, channel.accountId)) >= accountBytes) throw accountIsFull(accountBytes);
  const ended = new AbortController();
  try {
    const fetched = await asked(() => {
      // A disabled carrier submits nothing, but what contacts sent by it is still received.
      const carrier = carriers.findReceiving(channel.carrier) ?? carriers.get(channel.carrier);
      const asking = carrier.fetchMedia?.(channel, carrierMediaId, ended.signal);
      if (!asking) throw CarrierError.refused('NO_MEDIA', 'The carrier of the channel hands out no files.');
      return asking;
    });
    let mimeType = '';
    const inspection = new Inspection({
      onHead: (head) => {
        mimeType = labelledType(head, { mimeType: fetched.mimeType, filename: null });
        return fileBytes;
      },
      tooLarge: (limit) =>
        new AppError('PAYLOAD_TOO_LARGE', `The file is larger than the ${bytesInWords(limit)} that may be kept.`),
    });
    await files.write(id, lease.over(announced(fetched, inspection)));
    const limits = { accountBytes, key: null, keySince: clock.now() };
    const keeping = await keep(
      pool,
      { accountId: channel.accountId, channelId: channel.id },
      { id, mimeType, ...inspection.result(), claim },
      limits,
    );
    if (keeping.outcome === 'kept') return keeping.row;
    if (keeping.outcome === 'full') {
      await files.remove(id);
      throw accountIsFull(accountBytes);
    }
    throw new NotWanted();
  } finally {
    ended.abort();
  }
}

/** The bytes, which are looked at on their way; behind the last of them it throws where they are not those that were announced. */
async function* announced(fetched: FetchedMedia, inspection: Inspection): AsyncGenerator<Buffer> {
  yield* inspection.pass(broken(fetched));
  if (fetched.sha256 === null || isSameHash(fetched.sha256, inspection.result().sha256)) return;
  throw new AppError('UNAVAILABLE', 'The carrier handed out other bytes than it announced.');
}

/** Bytes whose connection is cut on the way can be had another time. */
async function* broken({ bytes }: FetchedMedia): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    throw new AppError('UNAVAILABLE', 'The carrier broke off while it handed the file out.', [], { cause });
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof CarrierError)) throw cause;
    const why = `The carrier does not hand the file out: ${cause.message}`;
    throw new AppError(cause.retryable ? 'UNAVAILABLE' : 'GONE', why, [], { cause });
  }
}

/** Meta writes hashes in base64 in webhooks, and in hexadecimal digits beside the address of a file. */
function isSameHash(said: string, base64: string): boolean {
  return said === base64 || said.toLowerCase() === Buffer.from(base64, 'base64').toString('hex');
}

function accountIsFull(accountBytes: number): AppError {
  const why = `The account keeps files of ${bytesInWords(accountBytes)}, and may keep no more.`;
  return new AppError('PAYLOAD_TOO_LARGE', why);
}
