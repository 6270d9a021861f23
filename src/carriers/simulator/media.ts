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

/** A picture of one dot. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What a contact of the simulator sends as a file. */
export function sampleMedia(): FetchedMedia {
  return { mimeType: 'image/png', sha256: null, bytes: Readable.from([Buffer.from(DOT, 'base64')]) };
}
