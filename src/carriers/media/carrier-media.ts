import type { Readable } from 'node:stream';

export interface FetchedMedia {
  mimeType: string | null;
  /** Base64 or hex. */
  sha256: string | null;
  /** Must be read once or destroyed. */
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
   * Uploads the file first if necessary. Concurrent calls share one upload. The holder is a carrier and its sending
   * number, because copies of different numbers have separate IDs.
   * @returns `isNew` if this process uploaded the file just now
   * @throws {CarrierError} errors of `upload`; UPLOADING (retryable) while another process uploads the file
   */
  ensureCopy(
    mediaId: string,
    holder: string,
    upload: () => Promise<CarrierCopy>,
  ): Promise<{ carrierMediaId: string; isNew: boolean }>;
  forgetCopy(mediaId: string, holder: string, carrierMediaId: string): Promise<void>;
}
