import type { Readable } from 'node:stream';

export interface FetchedMedia {
  /** Possibly with parameters. */
  mimeType: string | null;
  /** In base64 or hex, as reported by the carrier. */
  sha256: string | null;
  /** Must be read once or destroyed. */
  bytes: Readable;
}

/** To upload to the carrier. */
export interface OwnMedia {
  mimeType: string;
  /** In bytes. */
  size: number;
  filename: string | null;
  open(): Promise<Readable>;
}

export interface CarrierCopy {
  carrierMediaId: string;
  /** The copy must not be used later. */
  expiresAt: Date;
}

export interface MediaSource {
  find(channelId: string, mediaId: string): Promise<OwnMedia | null>;
  /**
   * Uploads the file first if necessary. Concurrent calls share one upload.
   * @param holder the carrier and the sending number, because copies of different numbers have separate IDs
   * @returns `isNew`: the file was uploaded just now, by this or a concurrent call of this process
   * @throws {CarrierError} errors of `upload`; UPLOADING (retryable) while another process uploads the file
   */
  ensureCopy(
    mediaId: string,
    holder: string,
    upload: () => Promise<CarrierCopy>,
  ): Promise<{ carrierMediaId: string; isNew: boolean }>;
  /** For a copy that the carrier no longer has. */
  forgetCopy(mediaId: string, holder: string, carrierMediaId: string): Promise<void>;
}
