import { Readable } from 'node:stream';
import type { OutboundMessage } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { FetchedMedia, MediaSource } from '../media/carrier-media.js';
import { findNamedMedia } from '../media/named-media.js';

/** Like a real carrier, the simulator refuses messages whose files were deleted. */
export class SimulatorMedia {
  #source: MediaSource | null = null;

  start(source: MediaSource): void {
    this.#source = source;
  }

  /** Rejects with a CarrierError, which is retryable only if the file store is unavailable. */
  async requireFiles({ channelId, content }: Pick<OutboundMessage, 'channelId' | 'content'>): Promise<void> {
    if (!this.#source || channelId === null) return;
    for (const { id } of findNamedMedia(content)) {
      const media = await this.#source.find(channelId, id).catch((cause: unknown) => {
        throw CarrierError.unavailable('MEDIA_UNREADABLE', 'The simulator cannot read the media file.', { cause });
      });
      if (!media) throw CarrierError.refused('MEDIA_NOT_FOUND', `No media has the ID ${id}.`);
    }
  }
}

const PICTURE = [
  'iVBORw0KGgoAAAANSUhEUgAAAHgAAABQAgMAAACv9VkaAAAACVBMVEXd6/fggCBrjlp05F8OAAAAe0lEQVR42u2UuwnAMAxErSIjZJ+MoMJaMl',
  'Pm43wan64QhkD02geHsKUrJUmGMJlVbMV2FOr50Ab1aW3xsnF6y4bpl0XpvpZbK3qTRnUnA7MR/dj+bCEtr9bUn9BD/zu4imTPyZXETpDdN2kH',
  '0i2smUivkVbssLqk/pfeAGUY0gEotWW8AAAAAElFTkSuQmCC',
].join('');

export function createSampleMedia(): FetchedMedia {
  return { mimeType: 'image/png', sha256: null, bytes: Readable.from([Buffer.from(PICTURE, 'base64')]) };
}
