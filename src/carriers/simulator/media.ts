import { Readable } from 'node:stream';
import type { OutboundMessage } from '../carrier.js';
import { CarrierError } from '../carrier-error.js';
import type { FetchedMedia, MediaSource } from '../media/carrier-media.js';
import { namedMedia } from '../media/named-media.js';

/** Reads the files that messages name, as a carrier that hands them on would. */
export class SimulatorMedia {
  #source: MediaSource | null = null;

  start(source: MediaSource): void {
    this.#source = source;
  }

  /** @throws {CarrierError} for a file that was deleted, and while the store is away */
  async require({ channelId, content }: Pick<OutboundMessage, 'channelId' | 'content'>): Promise<void> {
    if (!this.#source || channelId === null) return;
    for (const { id } of namedMedia(content)) {
      const found = await this.#source.find(channelId, id).catch((cause: unknown) => {
        throw CarrierError.unavailable('MEDIA_UNREADABLE', 'The simulator cannot read the file.', { cause });
      });
      if (!found) throw CarrierError.refused('MEDIA_NOT_FOUND', `There is no media with the id ${id} any more.`);
    }
  }
}

/** A sun over a meadow, 120 by 80 dots. */
const PICTURE = [
  'iVBORw0KGgoAAAANSUhEUgAAAHgAAABQAgMAAACv9VkaAAAACVBMVEXd6/fggCBrjlp05F8OAAAAe0lEQVR42u2UuwnAMAxErSIjZJ+MoMJaMl',
  'Pm43wan64QhkD02geHsKUrJUmGMJlVbMV2FOr50Ab1aW3xsnF6y4bpl0XpvpZbK3qTRnUnA7MR/dj+bCEtr9bUn9BD/zu4imTPyZXETpDdN2kH',
  '0i2smUivkVbssLqk/pfeAGUY0gEotWW8AAAAAElFTkSuQmCC',
].join('');

/** What a contact of the simulator sends as a file. */
export function sampleMedia(): FetchedMedia {
  return { mimeType: 'image/png', sha256: null, bytes: Readable.from([Buffer.from(PICTURE, 'base64')]) };
}
