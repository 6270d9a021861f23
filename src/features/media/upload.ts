import { largestOf, type MediaKind, mediaKindOf } from '../../carriers/media/media-types.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import { newId } from '../../platform/ids.js';
import { isStoreAway } from '../../platform/store/failures.js';
import { contentType, type Declared, declaredType, isOfFamily } from './content-type.js';
import { Inspection } from './inspection.js';
import { Lease, NotWanted } from './lease.js';
import { bytesInWords, type MediaOptions } from './media.js';
import { bytesOf, giveUp, insertUpload, keep, type MediaOwner, type MediaRow } from './media-store.js';
import { deleteRow } from './sweep-store.js';

/** For how long an `Idempotency-Key` repeats its answer. */
const KEY_MS = 24 * 60 * 60 * 1000;
const MAX_FILENAME = 240;
const FIELD = 'file';

/** A file on its way in. */
export interface UploadedFile extends Declared {
  /** Read once, as fast as they can be written. */
  bytes: AsyncIterable<Uint8Array>;
  /** Asked once all bytes have come: the type, where it is declared behind them. */
  mimeTypeAfter?: () => string | null;
  idempotencyKey?: string | null;
}

/**
 * Takes a file of a channel in. Its type is what its content says; what is declared must agree with that. A refused file
 * leaves nothing behind, and one whose process is killed nothing that a sweep does not find.
 * @returns `repeated`: a request with the same key has handed in the same bytes before, and this is what it was answered with
 * @throws {AppError} INVALID_REQUEST for a type that WhatsApp does not take, or that is another than declared;
 * PAYLOAD_TOO_LARGE for a file that is too large for its type, for MEDIA_MAX_BYTES, or for what the account may keep;
 * IDEMPOTENCY_MISMATCH for other bytes under a key; what reading the bytes throws
 */
export async function uploadMedia(
  options: MediaOptions,
  owner: MediaOwner,
  { bytes, mimeType, mimeTypeAfter, filename, idempotencyKey = null }: UploadedFile,
): Promise<{ media: MediaRow; repeated: boolean }> {
  const { pool, files, clock, mediaLimits } = options;
  const { accountBytes } = mediaLimits;
  // A look in advance: what is sure to be refused is not read.
  if (accountBytes > 0 && (await bytesOf(pool, owner.accountId)) >= accountBytes) throw accountIsFull(accountBytes);
  const id = newId();
  const now = clock.now();
  await insertUpload(pool, owner, { id, filename: filenameOf(filename), createdAt: now });
  const lease = new Lease(pool, id, null);
  try {
    const type = new TypeByContent({ mimeType, filename }, mediaLimits.fileBytes, mimeTypeAfter !== undefined);
    const inspection = new Inspection(type);
    await files.write(id, lease.over(inspection.pass(read(bytes))));
    if (mimeTypeAfter) type.settle(mimeTypeAfter());
    const found = { id, mimeType: type.found, ...inspection.result(), claim: null };
    const keySince = new Date(now.getTime() - KEY_MS);
    const keeping = await keep(pool, owner, found, { accountBytes, key: idempotencyKey, keySince });
    if (keeping.outcome === 'kept') return { media: keeping.row, repeated: false };
    if (keeping.outcome === 'full') throw accountIsFull(accountBytes);
    if (keeping.outcome === 'gone') throw new NotWanted();
    if (keeping.row.sha256 !== found.sha256) {
      throw new AppError('IDEMPOTENCY_MISMATCH', 'The Idempotency-Key was used with another file.');
    }
    await discard(options, id);
    return { media: keeping.row, repeated: true };
  } catch (error) {
    await discard(options, id);
    if (error instanceof ReadFailed) throw error.cause;
    if (error instanceof AppError || isStoreAway(error)) throw error;
    throw new AppError('UNAVAILABLE', 'The file could not be kept at the moment.', [], { cause: error });
  } finally {
    lease.end();
  }
}

class ReadFailed extends Error {}

/** Tells what went wrong on the side of whoever sends the file from what went wrong where it is kept. */
async function* read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    throw new ReadFailed('The file did not arrive whole.', { cause });
  }
}

/** What cannot be removed at once, a sweep removes. */
async function discard({ pool, files }: MediaOptions, id: string): Promise<void> {
  await giveUp(pool, id)
    .then(() => files.remove(id))
    .then(() => deleteRow(pool, id))
    .catch(() => undefined);
}

/** Meta shows a document by its name; what cannot stand in one is left out. */
function filenameOf(filename: string | null): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they stand in no name
  const name = filename?.replace(/^.*[\\/]/, '').replace(/[\0-\x1f\x7f\p{Cs}]/gu, '') ?? '';
  return name === '' ? null : [...name].slice(0, MAX_FILENAME).join('');
}

function accountIsFull(accountBytes: number): AppError {
  const rule = `must not be sent: the account keeps files of ${bytesInWords(accountBytes)}, and may keep no more`;
  return new AppError('PAYLOAD_TOO_LARGE', `${FIELD} ${rule}`, [{ field: FIELD, rule }]);
}

/** Finds the type by the first bytes, and by the type how many there may be. */
class TypeByContent {
  /** Once the first bytes were seen. */
  found = '';
  readonly #declared: Declared;
  readonly #fileBytes: number;
  readonly #saidLater: boolean;
  #head: Buffer = Buffer.alloc(0);
  #kind: MediaKind = 'document';

  /** @param saidLater whether the type may be declared when all bytes have come, by `settle` */
  constructor(declared: Declared, fileBytes: number, saidLater = false) {
    this.#declared = declared;
    this.#fileBytes = fileBytes;
    this.#saidLater = saidLater;
  }

  onHead(head: Buffer): number {
    this.#head = Buffer.from(head);
    const said = declaredType(this.#declared);
    const found = contentType(head, this.#declared);
    if (!found && said === null && this.#saidLater && isOfFamily(head)) {
      this.#kind = 'document';
      return Math.min(this.#fileBytes, largestOf(this.#kind, { moving: false }));
    }
    const kind = found && mediaKindOf(found.mimeType);
    if (!found || !kind) throw invalidField(FIELD, unknownRule(said, head.length));
    this.#agree(said, found.mimeType);
    this.found = found.mimeType;
    this.#kind = kind;
    return Math.min(this.#fileBytes, largestOf(kind, { moving: found.moving ?? false }));
  }

  /** Takes note of the type that was declared behind the bytes; null: of none. */
  settle(mimeType: string | null): void {
    const said = declaredType({ mimeType });
    if (this.found !== '' && (said === null || declaredType(this.#declared) !== null)) {
      this.#agree(said, this.found);
      return;
    }
    const found = contentType(this.#head, { ...this.#declared, mimeType });
    if (!found) throw invalidField(FIELD, unknownRule(said, this.#head.length));
    this.#agree(said, found.mimeType);
    this.found = found.mimeType;
  }

  #agree(said: string | null, found: string): void {
    if (said !== null && said !== found) {
      throw invalidField(FIELD, `is declared as ${quote(said)}, and its content is ${found}`);
    }
  }

  tooLarge(limit: number): AppError {
    const whose = limit === this.#fileBytes ? 'this server takes of a file' : `WhatsApp takes of ${WORDS[this.#kind]}`;
    const rule = `is larger than the ${bytesInWords(limit)} that ${whose}`;
    return new AppError('PAYLOAD_TOO_LARGE', `${FIELD} ${rule}`, [{ field: FIELD, rule }]);
  }
}

const WORDS: Readonly<Record<MediaKind, string>> = {
  audio: 'sound',
  document: 'a document',
  image: 'a picture',
  sticker: 'a sticker',
  video: 'a video',
};

function unknownRule(said: string | null, length: number): string {
  if (length === 0) return 'must not be empty';
  if (said !== null && mediaKindOf(said) !== null) return `is declared as ${quote(said)}, which its content is not`;
  if (said !== null) return `is of a type that WhatsApp does not take (${quote(said)})`;
  return 'is of a type that WhatsApp does not take, or its Content-Type is missing';
}
