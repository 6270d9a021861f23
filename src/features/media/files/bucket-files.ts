import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { type ByteRange, type MediaFiles, MissingFile } from './media-files.js';

/** Parts of an upload, each held in memory until it is taken: 5 MiB is the least that S3 allows. */
const PART_BYTES = 5 * 1024 * 1024;
const PARTS_AT_ONCE = 2;

export interface BucketOptions {
  bucket: string;
  /** Before each key, e.g. `heliograph/`; may be empty. */
  prefix: string;
  region: string;
  /** Another address than that of Amazon; null: Amazon's. */
  endpoint: string | null;
  /** Null: the SDK looks where it always does (its variables, its files, the role of the machine). */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
}

/** The SDK, which is loaded where a bucket is configured alone. */
async function loadSdk() {
  const [s3, storage] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  return { ...s3, ...storage };
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** Files in a bucket of Amazon S3, or of anything that speaks like it. */
export class BucketFiles implements MediaFiles {
  readonly place: string;
  readonly #options: BucketOptions;
  readonly #sdk: Sdk;
  readonly #client: S3Client;

  private constructor(options: BucketOptions, sdk: Sdk) {
    const { bucket, prefix, region, endpoint, credentials } = options;
    this.place = `s3://${bucket}/${prefix}`;
    this.#options = options;
    this.#sdk = sdk;
    this.#client = new sdk.S3Client({
      region,
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      ...(credentials !== null && { credentials }),
      // Servers that are not Amazon's know no checksums that nobody asked for.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** Asks the bucket for nothing yet. */
  static async open(options: BucketOptions): Promise<BucketFiles> {
    return new BucketFiles(options, await loadSdk());
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { Upload } = this.#sdk;
    let failure: unknown;
    const noted = async function* () {
      try {
        yield* bytes;
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    const body = Readable.from(noted(), { objectMode: false });
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(id), Body: body },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    });
    try {
      await upload.done();
    } catch (error) {
      // Where an upload cannot be given up, that would stand in place of what it was given up for.
      throw failure ?? error;
    } finally {
      body.destroy();
    }
  }

  async read(id: string, range?: ByteRange): Promise<Readable> {
    const { GetObjectCommand, NoSuchKey } = this.#sdk;
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#at(id), ...part }));
      return Body as Readable;
    } catch (error) {
      if (error instanceof NoSuchKey) throw new MissingFile(id, { cause: error });
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    const { DeleteObjectCommand, ListMultipartUploadsCommand, AbortMultipartUploadCommand } = this.#sdk;
    const { Bucket, Key } = this.#at(id);
    await this.#client.send(new DeleteObjectCommand({ Bucket, Key }));
    // What a killed process had begun is paid for until it is given up.
    const listed = new ListMultipartUploadsCommand({ Bucket, Prefix: Key });
    const { Uploads = [] } = await this.#client.send(listed).catch((error: unknown) => {
      if (isUnknownToStore(error)) return { Uploads: [] };
      throw error;
    });
    for (const { UploadId } of Uploads) {
      await this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #at(id: string): { Bucket: string; Key: string } {
    return { Bucket: this.#options.bucket, Key: `${this.#options.prefix}${id}` };
  }
}

/** Not every store that speaks like Amazon's knows how to list uploads in parts; its own clean-up ends them. */
function isUnknownToStore(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === 'NotImplemented' || $metadata?.httpStatusCode === 501;
}
