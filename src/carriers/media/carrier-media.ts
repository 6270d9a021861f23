import type { Readable } from 'node:stream';

/** A file from a contact, downloaded from the carrier. */
export interface FetchedMedia {
  /** As reported by the carrier, possibly with parameters. */
  mimeType: string | null;
  /** SHA-256 in base64 or hex, as reported by the carrier. */
  sha256: string | null;
  /** Must be read once or destroyed. */
  bytes: Readable;
}

/** A channel's file, to upload to the carrier. */
export interface OwnMedia {
  mimeType: string;
  /** In bytes. */
  size: number;
  filename: string | null;
  /** Opens the file from the start. */
  open(): Promise<Readable>;
}

/** A copy of a file at the carrier. */
export interface CarrierCopy {
  carrierMediaId: string;
  /** The copy must not be used after this time. */
  expiresAt: Date;
}

/** Gives carriers access to the files of channels. */
export interface MediaSource {
  /** Finds a channel's file by ID. */
  find(channelId: string, mediaId: string): Promise<OwnMedia | null>;
  /**
   * Returns the carrier's ID of a file, uploading the file first if necessary. Concurrent calls share one upload.
   * @param holder the carrier and the sending number; copies of different numbers have separate IDs
   * @returns `isNew`: the file was uploaded just now, by this or a concurrent call of this process
   * @throws {CarrierError} errors of `upload`; UPLOADING (retryable) while another process uploads the file
   */
  ensureCopy(
    mediaId: string,
    holder: string,
    upload: () => Promise<CarrierCopy>,
  ): Promise<{ carrierMediaId: string; isNew: boolean }>;
  /** Forgets a copy that the carrier no longer has. The next use uploads the file again. */
  forgetCopy(mediaId: string, holder: string, carrierMediaId: string): Promise<void>;
}
