import { setTimeout as pause } from 'node:timers/promises';
import { CarrierError } from '../../carriers/carrier-error.js';
import type { FetchedMedia } from '../../carriers/media/carrier-media.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { TemplateChannel } from '../../carriers/templates.js';
import { AppError } from '../../platform/errors/app-error.js';
import { newId } from '../../platform/ids.js';
import { chooseLabel } from './content-type.js';
import { Inspection } from './inspection.js';
import { Lease, OwnershipLost } from './lease.js';
import { formatBytes, type MediaOptions } from './media.js';
import { findMedia, keepMedia, type MediaRow, sumBytes } from './media-store.js';
import { claimReceived, releaseReceived } from './received-store.js';

const MAX_WAIT_MS = 5_000;
const POLL_INTERVAL_MS = 100;

export interface FetchOptions extends MediaOptions {
  carriers: Pick<CarrierRegistry, 'get' | 'findReceiving'>;
}

export interface FetchingChannel extends TemplateChannel {
  accountId: string;
  carrier: string;
}

/** Each process uses only one instance, so that concurrent requests for a file share one download. */
export class MediaFetcher {
  readonly #options: FetchOptions;
  /** By media ID. */
  readonly #downloads = new Map<string, Promise<MediaRow>>();

  constructor(options: FetchOptions) {
    this.#options = options;
  }

  /**
   * @throws {AppError} GONE if the carrier no longer provides the file; NOT_FOUND if the file was deleted;
   * PAYLOAD_TOO_LARGE; UNAVAILABLE after a temporary failure or for a wrong hash
   */
  fetch(channel: FetchingChannel, media: Pick<MediaRow, 'id' | 'carrierMediaId'>): Promise<MediaRow> {
    const download = this.#downloads.get(media.id);
    if (download) return download;
    const newDownload = fetchOnce(this.#options, channel, media).finally(() => this.#downloads.delete(media.id));
    this.#downloads.set(media.id, newDownload);
    return newDownload;
  }
}

async function fetchOnce(
  options: FetchOptions,
  channel: FetchingChannel,
  { id, carrierMediaId }: Pick<MediaRow, 'id' | 'carrierMediaId'>,
): Promise<MediaRow> {
  const { pool, files } = options;
  if (carrierMediaId === null) throw mediaNotFound();
  const find = () => findMedia(options, { accountId: channel.accountId, channelId: channel.id }, id);
  const claim = newId();
  const keptMedia = await claimOrFind(pool, { id, claim }, find);
  if (keptMedia) return keptMedia;
  // The lease is renewed from now on, because the carrier may take longer to respond than a lease lasts.
  const lease = new Lease(pool, id, claim);
  try {
    return await fetchClaimed(options, channel, { id, carrierMediaId, claim, lease });
  } catch (error) {
    await releaseReceived(pool, id, claim).catch(() => undefined);
    const current = await find().catch(() => undefined);
    // This process lost its lease, and another process stored the file.
    if (current?.status === 'kept') return current;
    if (current !== null) throw error instanceof OwnershipLost ? fetchInProgress(error) : error;
    // The file was deleted during the download, so bytes written after the deletion are removed.
    await files.remove(id).catch(() => undefined);
    throw mediaNotFound(error);
  } finally {
    lease.end();
  }
}

/** Returns null once this process has claimed the file, or the file if another process has stored it. */
async function claimOrFind(
  pool: FetchOptions['pool'],
  { id, claim }: { id: string; claim: string },
  find: () => Promise<MediaRow | null>,
): Promise<MediaRow | null> {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!(await claimReceived(pool, id, claim))) {
    const current = await find();
    if (!current) throw mediaNotFound();
    if (current.status === 'kept') return current;
    if (performance.now() >= deadline) throw fetchInProgress();
    await pause(POLL_INTERVAL_MS);
  }
  return null;
}

function fetchInProgress(cause?: unknown): AppError {
  return new AppError('UNAVAILABLE', 'The file is being fetched at the moment.', [], { cause });
}

function mediaNotFound(cause?: unknown): AppError {
  return new AppError('NOT_FOUND', 'No media has this id.', [], { cause });
}

async function fetchClaimed(
  { pool, files, clock, carriers, mediaLimits: { fileBytes, accountBytes } }: FetchOptions,
  channel: FetchingChannel,
  { id, carrierMediaId, claim, lease }: { id: string; carrierMediaId: string; claim: string; lease: Lease },
): Promise<MediaRow> {
  if (accountBytes > 0 && (await sumBytes(pool, channel.accountId)) >= accountBytes)
    throw createAccountFullError(accountBytes);
  const abortController = new AbortController();
  try {
    const fetched = await translateCarrierError(() => {
      // A disabled carrier sends nothing, but files received through the carrier can still be downloaded.
      const carrier = carriers.findReceiving(channel.carrier) ?? carriers.get(channel.carrier);
      const download = carrier.fetchMedia?.(channel, carrierMediaId, abortController.signal);
      if (!download) throw CarrierError.refused('NO_MEDIA', 'The carrier of the channel does not provide files.');
      return download;
    });
    let mimeType = '';
    const inspection = new Inspection({
      onHead: (head) => {
        mimeType = chooseLabel(head, { mimeType: fetched.mimeType, filename: null });
        return fileBytes;
      },
      createTooLargeError: (limit) =>
        new AppError('PAYLOAD_TOO_LARGE', `The file is larger than the ${formatBytes(limit)} that may be kept.`),
    });
    await files.write(id, lease.guardWrites(verifyHash(fetched, inspection)));
    const limits = { accountBytes, key: null, keySince: clock.now() };
    const result = await keepMedia(
      pool,
      { accountId: channel.accountId, channelId: channel.id },
      { id, mimeType, ...inspection.result(), claim },
      limits,
    );
    if (result.outcome === 'kept') return result.row;
    if (result.outcome === 'full') {
      await files.remove(id);
      throw createAccountFullError(accountBytes);
    }
    throw new OwnershipLost();
  } finally {
    abortController.abort();
  }
}

/** Throws after the last byte if the hash of the file differs from the announced hash. */
async function* verifyHash(fetched: FetchedMedia, inspection: Inspection): AsyncGenerator<Buffer> {
  yield* inspection.pass(translateBrokenDownload(fetched));
  if (fetched.sha256 === null || isSameHash(fetched.sha256, inspection.result().sha256)) return;
  throw new AppError('UNAVAILABLE', 'The carrier sent other bytes than it announced.');
}

/** Reports a connection that breaks during the download as UNAVAILABLE, because a retry may succeed. */
async function* translateBrokenDownload({ bytes }: FetchedMedia): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    throw new AppError('UNAVAILABLE', 'The carrier closed the connection during the download.', [], { cause });
  }
}

async function translateCarrierError<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    if (!(cause instanceof CarrierError)) throw cause;
    const reason = `The carrier does not provide the file: ${cause.message}`;
    throw new AppError(cause.retryable ? 'UNAVAILABLE' : 'GONE', reason, [], { cause });
  }
}

/** Meta writes hashes in base64 in webhooks, and in hexadecimal in the response with the download URL. */
function isSameHash(announcedHash: string, base64: string): boolean {
  return announcedHash === base64 || announcedHash.toLowerCase() === Buffer.from(base64, 'base64').toString('hex');
}

function createAccountFullError(accountBytes: number): AppError {
  const reason = `The account has reached its limit of ${formatBytes(accountBytes)} for stored files.`;
  return new AppError('PAYLOAD_TOO_LARGE', reason);
}
