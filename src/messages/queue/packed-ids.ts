const ID_BYTES = 16;

/**
 * PostgreSQL moves values above about 2,000 bytes out of the row (TOAST), which would cost more than the job itself. A hundred
 * packed IDs stay below this size, because IDs that are created together share a long prefix.
 */
export interface PackedIds {
  /** Hexadecimal. */
  head: string;
  /** Base64. */
  tails: string;
}

/** @param ids at least one UUID */
export function packIds(ids: readonly string[]): PackedIds {
  const bytes = Buffer.from(ids.join('').replaceAll('-', ''), 'hex');
  const sharedLength = countSharedBytes(bytes);
  const tailLength = ID_BYTES - sharedLength;
  const tails = Buffer.allocUnsafe(ids.length * tailLength);
  for (let index = 0; index < ids.length; index++) {
    bytes.copy(tails, index * tailLength, index * ID_BYTES + sharedLength, (index + 1) * ID_BYTES);
  }
  return { head: bytes.toString('hex', 0, sharedLength), tails: tails.toString('base64') };
}

/** Leaves at least one byte of each ID unshared. */
function countSharedBytes(bytes: Buffer): number {
  let shared = 0;
  for (; shared < ID_BYTES - 1; shared++) {
    for (let offset = ID_BYTES + shared; offset < bytes.length; offset += ID_BYTES) {
      if (bytes[offset] !== bytes[shared]) return shared;
    }
  }
  return shared;
}

/** Keeps the original order. */
export function unpackIds({ head, tails }: PackedIds): string[] {
  const hex = Buffer.from(tails, 'base64').toString('hex');
  const tailDigits = ID_BYTES * 2 - head.length;
  const ids: string[] = [];
  for (let start = 0; start < hex.length; start += tailDigits) {
    const id = head + hex.slice(start, start + tailDigits);
    ids.push(`${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`);
  }
  return ids;
}
