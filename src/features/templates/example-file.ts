import { Readable } from 'node:stream';
import type { TemplateExample } from '../../carriers/templates.js';
import { GuardedHttp } from '../../platform/net/guarded-http.js';

const MB = 1024 * 1024;
/** The limits for images and videos are Meta's, and the limit for documents is Heliograph's own. */
const SIZE_LIMITS: Readonly<Record<string, number>> = {
  'image/jpeg': 5 * MB,
  'image/png': 5 * MB,
  'video/mp4': 16 * MB,
  'application/pdf': 16 * MB,
};
export const MAX_EXAMPLE_BYTES = 16 * MB;
const TIMEOUT_MS = 15_000;

/** Bytes at an offset that identify a file type regardless of the file's name. */
const SIGNATURES: readonly [type: string, offset: number, bytes: Buffer][] = [
  ['image/jpeg', 0, Buffer.from([0xff, 0xd8, 0xff])],
  ['image/png', 0, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['video/mp4', 4, Buffer.from('ftyp')],
  ['application/pdf', 0, Buffer.from('%PDF-')],
];

const TYPES_BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  IMAGE: ['image/jpeg', 'image/png'],
  VIDEO: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
};

export class InvalidExample extends Error {
  readonly rule: string;

  constructor(rule: string, cause?: unknown) {
    super(rule, { cause });
    this.name = 'InvalidExample';
    this.rule = rule;
  }
}

/**
 * If `format` (the header's format) is omitted, any supported file type is allowed.
 * @throws {InvalidExample}
 */
export function toExample(data: Buffer, format?: string): TemplateExample {
  const signature = SIGNATURES.find(([, offset, bytes]) => data.subarray(offset, offset + bytes.length).equals(bytes));
  const [type] = signature ?? [''];
  checkFile(type, data.length, format);
  return { type, size: data.length, open: async () => Readable.from(data, { objectMode: false }) };
}

/** @throws {InvalidExample} */
export function toStoredExample(
  { mimeType, size }: { mimeType: string; size: number },
  format: string,
  open: () => Promise<Readable>,
): TemplateExample {
  checkFile(mimeType, size, format);
  return { type: mimeType, size, open };
}

/** @throws {InvalidExample} */
function checkFile(type: string, size: number, format?: string): void {
  const types = (format && TYPES_BY_FORMAT[format]) || Object.keys(SIZE_LIMITS);
  if (!types.includes(type)) throw new InvalidExample(`must be a file of the type ${types.join(' or ')}`);
  const limit = SIZE_LIMITS[type] as number;
  if (size > limit) throw new InvalidExample(`must have at most ${limit / MB} MB for the type ${type}`);
}

/**
 * The link is untrusted, so only public addresses are allowed, and redirects are not followed.
 * @throws {InvalidExample}
 */
export async function fetchExample(
  link: string,
  { format, allowPrivate }: { format?: string; allowPrivate: boolean },
): Promise<TemplateExample> {
  const http = new GuardedHttp({ privateAccess: { allowPrivate }, connectTimeoutMs: TIMEOUT_MS });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { statusCode, body } = await http.request(link, { signal });
    if (statusCode !== 200) throw new InvalidExample(`must link to a file (the server responded ${statusCode})`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > MAX_EXAMPLE_BYTES) throw new InvalidExample(`must have at most ${MAX_EXAMPLE_BYTES / MB} MB`);
      chunks.push(chunk as Buffer);
    }
    return toExample(Buffer.concat(chunks), format);
  } catch (error) {
    throw error instanceof InvalidExample
      ? error
      : new InvalidExample('must link to a file that can be downloaded', error);
  } finally {
    await http.close();
  }
}
