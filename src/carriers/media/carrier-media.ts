import type { Readable } from 'node:stream';

/** A file that a contact sent, as its carrier hands it out. */
export interface FetchedMedia {
  /** As the carrier says, perhaps with parameters; null where it does not. */
  mimeType: string | null;
  /** SHA-256 in base64 or in hexadecimal digits, as the carrier says; null where it does not. */
  sha256: string | null;
  /** Read once, or destroyed. */
  bytes: Readable;
}

/** A file of a channel, as its carrier is given it. */
export interface OwnMedia {
  mimeType: string;
  /** In bytes. */
  size: number;
  filename: string | null;
  /** Its bytes, from the beginning. */
  open(): Promise<Readable>;
}

/** The copy of a file that a carrier holds. */
export interface CarrierCopy {
  /** The carrier's id of it. */
  carrierMediaId: string;
  /** Business time from which on it is not to be used. */
  expiresAt: Date;
}

/** Files of channels, for carriers that send them. */
export interface MediaSource {
  /** A file that a channel keeps; null where it keeps none of this id. */
  find(channelId: string, mediaId: string): Promise<OwnMedia | null>;
  /**
   * The carrier's id of a file, which is handed over where the carrier does not hold it: once, however many ask.
   * @param place which carrier, and which number of it: ids of one are none of another
   * @returns `isNew`: it was handed over just now, by this call or by another of this process
   * @throws {CarrierError} what `handOver` throws; UPLOADING, retryable, while another process hands it over
   */
  copyOf(
    mediaId: string,
    place: string,
    handOver: () => Promise<CarrierCopy>,
  ): Promise<{ carrierMediaId: string; isNew: boolean }>;
  /** The carrier holds a copy no more: the next one that asks hands the file over again. */
  forgetCopy(mediaId: string, place: string, carrierMediaId: string): Promise<void>;
}
