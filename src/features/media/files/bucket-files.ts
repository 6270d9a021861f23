import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { type ByteRange, type MediaFiles, MissingFile } from './media-files.js';

/** Smallest part of an upload that S3 allows, because parts are held in memory. */
const PART_BYTES = 5 * 1024 * 1024;
const CONCURRENT_PARTS = 2;

export interface BucketOptions {
  bucket: string;
  /** May be empty. */
  prefix: string;
  region: string;
  /** URL of an S3-compatible service, or null for Amazon S3. */
  endpoint: string | null;
  /** Null lets the SDK look up the credentials (in environment variables, files, or the machine's role). */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
}

async function loadSdk() {
  const [s3, storage] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  return { ...s3, ...storage };
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

export class BucketFiles implements MediaFiles {
  readonly location: string;
  readonly #options: BucketOptions;
  readonly #sdk: Sdk;
  readonly #client: S3Client;

  private constructor(options: BucketOptions, sdk: Sdk) {
    const { bucket, prefix, region, endpoint, credentials } = options;
    this.location = `s3://${bucket}/${prefix}`;
    this.#options = options;
    this.#sdk = sdk;
    this.#client = new sdk.S3Client({
      region,
      ...(endpoint !== null && { endpoint, forcePathStyle: true }),
      ...(credentials !== null && { credentials }),
      // Some S3-compatible services do not support checksums that were not requested.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  static async open(options: BucketOptions): Promise<BucketFiles> {
    return new BucketFiles(options, await loadSdk());
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { Upload } = this.#sdk;
    let failure: unknown;
    const recordFailure = async function* () {
      try {
        yield* bytes;
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    const body = Readable.from(recordFailure(), { objectMode: false });
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#objectAt(id), Body: body },
      partSize: PART_BYTES,
      queueSize: CONCURRENT_PARTS,
    });
    try {
      await upload.done();
    } catch (error) {
      throw failure ?? error;
    } finally {
      body.destroy();
    }
  }

  async read(id: string, range?: ByteRange): Promise<Readable> {
    const { GetObjectCommand, NoSuchKey } = this.#sdk;
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#objectAt(id), ...part }));
      return Body as Readable;
    } catch (error) {
      if (error instanceof NoSuchKey) throw new MissingFile(id, { cause: error });
      throw error;
    }
  }

  async remove(id: string): Promise<void> {
    const { DeleteObjectCommand, ListMultipartUploadsCommand, AbortMultipartUploadCommand } = this.#sdk;
    const { Bucket, Key } = this.#objectAt(id);
    await this.#client.send(new DeleteObjectCommand({ Bucket, Key }));
    // Unfinished multipart uploads cost money until they are aborted.
    const listCommand = new ListMultipartUploadsCommand({ Bucket, Prefix: Key });
    const { Uploads = [] } = await this.#client.send(listCommand).catch((error: unknown) => {
      if (isUnsupported(error)) return { Uploads: [] };
      throw error;
    });
    for (const { UploadId } of Uploads) {
      await this.#client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  #objectAt(id: string): { Bucket: string; Key: string } {
    return { Bucket: this.#options.bucket, Key: `${this.#options.prefix}${id}` };
  }
}

/** Some S3-compatible services cannot list unfinished multipart uploads, but remove them automatically. */
function isUnsupported(error: unknown): boolean {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  return name === 'NotImplemented' || $metadata?.httpStatusCode === 501;
}
