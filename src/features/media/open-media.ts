import type { Readable } from 'node:stream';
import { AppError } from '../../platform/errors/app-error.js';
import type { FetchingChannel, MediaFetcher } from './fetch-received.js';
import { type ByteRange, MissingFile } from './files/media-files.js';
import type { MediaOptions } from './media.js';
import { findMedia, type MediaRow } from './media-store.js';

/** A file that is there, and its bytes. */
export interface OpenMedia {
  media: MediaRow & { size: number; sha256: string };
  /** All of its bytes, or a part of them. @throws {AppError} GONE where they were lost */
  open(range?: ByteRange): Promise<Readable>;
}

/**
 * A file of a channel, which is fetched from its carrier where it has not been yet.
 * @returns null where the channel has none of this id
 * @throws {AppError} as `MediaFetcher.fetch`
 */
export async function openMedia(
  options: Pick<MediaOptions, 'pool' | 'files'> & { fetcher: Pick<MediaFetcher, 'fetch'> },
  channel: FetchingChannel,
  id: string,
): Promise<OpenMedia | null> {
  const found = await findMedia(options, { accountId: channel.accountId, channelId: channel.id }, id);
  if (!found) return null;
  const media = found.status === 'kept' ? found : await options.fetcher.fetch(channel, found);
  return {
    media: { ...media, size: media.size ?? 0, sha256: media.sha256 ?? '' },
    open: async (range) => {
      try {
        return await options.files.read(id, range);
      } catch (error) {
        if (!(error instanceof MissingFile)) throw error;
        throw new AppError('GONE', 'The file was kept, and is not there any more.', [], { cause: error });
      }
    },
  };
}
