import type { Readable } from 'node:stream';
import { AppError } from '../../platform/errors/app-error.js';
import type { FetchingChannel, MediaFetcher } from './fetch-received.js';
import { type ByteRange, MissingFile } from './files/media-files.js';
import type { MediaOptions } from './media.js';
import { findMedia, type MediaRow } from './media-store.js';

export interface OpenMedia {
  media: MediaRow & { size: number; sha256: string };
  /** @throws {AppError} GONE if the bytes of the file were lost */
  open(range?: ByteRange): Promise<Readable>;
}

/** Downloads the file from its carrier if the file is not stored yet, with the errors of `MediaFetcher.fetch`. */
export async function openMedia(
  options: Pick<MediaOptions, 'pool' | 'files'> & { fetcher: Pick<MediaFetcher, 'fetch'> },
  channel: FetchingChannel,
  id: string,
): Promise<OpenMedia | null> {
  const row = await findMedia(options, { accountId: channel.accountId, channelId: channel.id }, id);
  if (!row) return null;
  const media = row.status === 'kept' ? row : await options.fetcher.fetch(channel, row);
  return {
    media: { ...media, size: media.size ?? 0, sha256: media.sha256 ?? '' },
    open: async (range) => {
      try {
        return await options.files.read(id, range);
      } catch (error) {
        if (!(error instanceof MissingFile)) throw error;
        throw new AppError('GONE', 'The stored file no longer exists.', [], { cause: error });
      }
    },
  };
}
