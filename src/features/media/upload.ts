import { findMediaKind, getMaxFileSize, type MediaKind } from '../../carriers/media/media-types.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import { newId } from '../../platform/ids.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import { type DeclaredType, detectContentType, isAmbiguousDocument, normalizeDeclaredType } from './content-type.js';
import { Inspection } from './inspection.js';
import { Lease, OwnershipLost } from './lease.js';
import { formatBytes, type MediaOptions } from './media.js';
import { giveUp, insertUpload, keepMedia, type MediaOwner, type MediaRow, sumBytes } from './media-store.js';
import { deleteRow } from './sweep-store.js';

const KEY_VALIDITY_MS = 24 * 60 * 60 * 1000;
const MAX_FILENAME = 240;
const FIELD = 'file';

export interface UploadedFile extends DeclaredType {
  bytes: AsyncIterable<Uint8Array>;
  /** Called after all bytes have arrived, because the sender may declare the type after the bytes. */
  readLateMimeType?: () => string | null;
  idempotencyKey?: string | null;
}

/**
 * If an earlier request with the same key uploaded the same bytes, returns the earlier file with `repeated` set.
 * @throws {AppError} INVALID_REQUEST for a refused or wrongly declared type; PAYLOAD_TOO_LARGE; IDEMPOTENCY_MISMATCH
 */
export async function uploadMedia(
  options: MediaOptions,
  owner: MediaOwner,
  { bytes, mimeType, readLateMimeType, filename, idempotencyKey = null }: UploadedFile,
): Promise<{ media: MediaRow; repeated: boolean }> {
  const { pool, files, clock, mediaLimits } = options;
  const { accountBytes } = mediaLimits;
  if (accountBytes > 0 && (await sumBytes(pool, owner.accountId)) >= accountBytes)
    throw createAccountFullError(accountBytes);
  const id = newId();
  const now = clock.now();
  await insertUpload(pool, owner, { id, filename: cleanFilename(filename), createdAt: now });
  const lease = new Lease(pool, id, null);
  try {
    const detector = new TypeDetector({ mimeType, filename }, mediaLimits.fileBytes, readLateMimeType !== undefined);
    const inspection = new Inspection(detector);
    await files.write(id, lease.guardWrites(inspection.pass(markReadErrors(bytes))));
    if (readLateMimeType) detector.setLateType(readLateMimeType());
    const upload = { id, mimeType: detector.detectedType, ...inspection.result(), claim: null };
    const keySince = new Date(now.getTime() - KEY_VALIDITY_MS);
    const result = await keepMedia(pool, owner, upload, { accountBytes, key: idempotencyKey, keySince });
    if (result.outcome === 'kept') return { media: result.row, repeated: false };
    if (result.outcome === 'full') throw createAccountFullError(accountBytes);
    if (result.outcome === 'gone') throw new OwnershipLost();
    if (result.row.sha256 !== upload.sha256) {
      throw new AppError('IDEMPOTENCY_MISMATCH', 'The Idempotency-Key was used with another file.');
    }
    await discard(options, id);
    return { media: result.row, repeated: true };
  } catch (error) {
    await discard(options, id);
    if (error instanceof ReadFailed) throw error.cause;
    if (error instanceof AppError || isStoreUnreachable(error)) throw error;
    throw new AppError('UNAVAILABLE', 'The file could not be stored at the moment.', [], { cause: error });
  } finally {
    lease.end();
  }
}

class ReadFailed extends Error {}

/** Wraps errors from reading the upload, to distinguish them from storage errors. */
async function* markReadErrors(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    throw new ReadFailed('The file did not arrive completely.', { cause });
  }
}

/** If the removal fails, a sweep removes the file later. */
async function discard({ pool, files }: MediaOptions, id: string): Promise<void> {
  await giveUp(pool, id)
    .then(() => files.remove(id))
    .then(() => deleteRow(pool, id))
    .catch(() => undefined);
}

function cleanFilename(filename: string | null): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed from names
  const name = filename?.replace(/^.*[\\/]/, '').replace(/[\0-\x1f\x7f\p{Cs}]/gu, '') ?? '';
  return name === '' ? null : [...name].slice(0, MAX_FILENAME).join('');
}

function createAccountFullError(accountBytes: number): AppError {
  const rule = `must not be sent: the account has reached its limit of ${formatBytes(accountBytes)} for stored files`;
  return new AppError('PAYLOAD_TOO_LARGE', `${FIELD} ${rule}`, [{ field: FIELD, rule }]);
}

class TypeDetector {
  detectedType = '';
  readonly #declared: DeclaredType;
  readonly #fileBytes: number;
  readonly #mayBeDeclaredLater: boolean;
  #head: Buffer = Buffer.alloc(0);
  #kind: MediaKind = 'document';

  /** @param mayBeDeclaredLater whether `setLateType` may declare the type after all bytes have arrived */
  constructor(declared: DeclaredType, fileBytes: number, mayBeDeclaredLater = false) {
    this.#declared = declared;
    this.#fileBytes = fileBytes;
    this.#mayBeDeclaredLater = mayBeDeclaredLater;
  }

  onHead(head: Buffer): number {
    this.#head = Buffer.from(head);
    const declaredName = normalizeDeclaredType(this.#declared);
    const detectedType = detectContentType(head, this.#declared);
    if (!detectedType && declaredName === null && this.#mayBeDeclaredLater && isAmbiguousDocument(head)) {
      this.#kind = 'document';
      return Math.min(this.#fileBytes, getMaxFileSize(this.#kind, { moving: false }));
    }
    const kind = detectedType && findMediaKind(detectedType.mimeType);
    if (!detectedType || !kind) throw invalidField(FIELD, describeUnknownType(declaredName, head.length));
    this.#requireMatch(declaredName, detectedType.mimeType);
    this.detectedType = detectedType.mimeType;
    this.#kind = kind;
    return Math.min(this.#fileBytes, getMaxFileSize(kind, { moving: detectedType.moving ?? false }));
  }

  setLateType(mimeType: string | null): void {
    const declaredName = normalizeDeclaredType({ mimeType });
    if (this.detectedType !== '' && (declaredName === null || normalizeDeclaredType(this.#declared) !== null)) {
      this.#requireMatch(declaredName, this.detectedType);
      return;
    }
    const detectedType = detectContentType(this.#head, { ...this.#declared, mimeType });
    if (!detectedType) throw invalidField(FIELD, describeUnknownType(declaredName, this.#head.length));
    this.#requireMatch(declaredName, detectedType.mimeType);
    this.detectedType = detectedType.mimeType;
  }

  #requireMatch(declaredName: string | null, detectedType: string): void {
    if (declaredName !== null && declaredName !== detectedType) {
      throw invalidField(
        FIELD,
        `does not match its declared type: declared ${quote(declaredName)}, detected ${detectedType}`,
      );
    }
  }

  createTooLargeError(limit: number): AppError {
    const limitName =
      limit === this.#fileBytes ? 'this server accepts per file' : `WhatsApp accepts for ${KIND_NAMES[this.#kind]}`;
    const rule = `is larger than the ${formatBytes(limit)} that ${limitName}`;
    return new AppError('PAYLOAD_TOO_LARGE', `${FIELD} ${rule}`, [{ field: FIELD, rule }]);
  }
}

const KIND_NAMES: Readonly<Record<MediaKind, string>> = {
  audio: 'audio',
  document: 'a document',
  image: 'an image',
  sticker: 'a sticker',
  video: 'a video',
};

function describeUnknownType(declaredName: string | null, length: number): string {
  if (length === 0) return 'must not be empty';
  if (declaredName !== null && findMediaKind(declaredName) !== null)
    return `does not match its declared type ${quote(declaredName)}`;
  if (declaredName !== null) return `has a type that WhatsApp does not accept (${quote(declaredName)})`;
  return 'has a type that WhatsApp does not accept, or its Content-Type is missing';
}
