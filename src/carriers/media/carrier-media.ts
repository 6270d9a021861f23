import type { Readable } from 'node:stream';

export interface FetchedMedia {
  mimeType: string | null;
  /** Base64 or hex. */
  sha256: string | null;
  /** The caller must read the bytes once, or destroy them. */
  bytes: Readable;
}

export interface OwnMedia {
  mimeType: string;
  /** In bytes. */
  size: number;
  filename: string | null;
  open(): Promise<Readable>;
}

export interface CarrierCopy {
  carrierMediaId: string;
  expiresAt: Date;
}

export interface MediaSource {
  find(channelId: string, mediaId: string): Promise<OwnMedia | null>;
  /**
   * Uploads the file first if the carrier has no copy. Concurrent calls share one upload, and `isNew` is true if this process
   * has just uploaded the copy. `holder` names a carrier and a sending number, because the copies of different numbers have
   * separate IDs. While another process uploads the file, the call fails with the retryable code UPLOADING.
   * @throws {CarrierError}
   */
  ensureCopy(
    mediaId: string,
    holder: string,
    upload: () => Promise<CarrierCopy>,
  ): Promise<{ carrierMediaId: string; isNew: boolean }>;
  forgetCopy(mediaId: string, holder: string, carrierMediaId: string): Promise<void>;
}
