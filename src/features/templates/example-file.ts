import { Readable } from 'node:stream';
import type { TemplateExample } from '../../carriers/templates.js';
import { GuardedHttp } from '../../platform/net/guarded-http.js';

const MB = 1024 * 1024;
/** Bytes of an example: Meta's limits of pictures and films; of a document a reviewer needs no more than a film's. */
const LIMITS: Readonly<Record<string, number>> = {
  'image/jpeg': 5 * MB,
  'image/png': 5 * MB,
  'video/mp4': 16 * MB,
  'application/pdf': 16 * MB,
};
export const EXAMPLE_LIMIT = 16 * MB;
/** For a whole file that a link leads to. */
const TIMEOUT_MS = 15_000;

/** What shows a file's type, whatever its name says: its first bytes, from an offset on. */
const SIGNATURES: readonly [type: string, offset: number, bytes: Buffer][] = [
  ['image/jpeg', 0, Buffer.from([0xff, 0xd8, 0xff])],
  ['image/png', 0, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['video/mp4', 4, Buffer.from('ftyp')],
  ['application/pdf', 0, Buffer.from('%PDF-')],
];

/** Types that a header may show, by its format. */
const OF_FORMAT: Readonly<Record<string, readonly string[]>> = {
  IMAGE: ['image/jpeg', 'image/png'],
  VIDEO: ['video/mp4'],
  DOCUMENT: ['application/pdf'],
};

/** A file that is no example, and the rule that it breaks. */
export class NoExample extends Error {
  readonly rule: string;

  constructor(rule: string, cause?: unknown) {
    super(rule, { cause });
    this.name = 'NoExample';
    this.rule = rule;
  }
}

/**
 * A file as an example of a header.
 * @param format of the header; any that shows a file unless told
 * @throws {NoExample} when it is of no such type, or too large
 */
export function exampleOf(data: Buffer, format?: string): TemplateExample {
  const found = SIGNATURES.find(([, offset, bytes]) => data.subarray(offset, offset + bytes.length).equals(bytes));
  const [type] = found ?? [''];
  checkKind(type, data.length, format);
  return { type, size: data.length, open: async () => Readable.from(data, { objectMode: false }) };
}

/**
 * A file that the channel keeps, as an example of a header.
 * @throws {NoExample} when it is of another type, or too large
 */
export function keptExample(
  { mimeType, size }: { mimeType: string; size: number },
  format: string,
  open: () => Promise<Readable>,
): TemplateExample {
  checkKind(mimeType, size, format);
  return { type: mimeType, size, open };
}

/** @throws {NoExample} */
function checkKind(type: string, size: number, format?: string): void {
  const types = (format && OF_FORMAT[format]) || Object.keys(LIMITS);
  if (!types.includes(type)) throw new NoExample(`must be a file of the type ${types.join(' or ')}`);
  const limit = LIMITS[type] as number;
  if (size > limit) throw new NoExample(`must have at most ${limit / MB} MB, being ${type}`);
}

/**
 * Fetches what a link leads to. Like the URL of a webhook it may be anybody's: only public addresses are reached, and no
 * redirect is followed.
 * @throws {NoExample} when it leads to none
 */
export async function fetchExample(
  link: string,
  { format, allowPrivate }: { format?: string; allowPrivate: boolean },
): Promise<TemplateExample> {
  const http = new GuardedHttp({ reach: { allowPrivate }, connectTimeoutMs: TIMEOUT_MS });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { statusCode, body } = await http.request(link, { signal });
    if (statusCode !== 200) throw new NoExample(`must be the link of a file (it answered ${statusCode})`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > EXAMPLE_LIMIT) throw new NoExample(`must have at most ${EXAMPLE_LIMIT / MB} MB`);
      chunks.push(chunk as Buffer);
    }
    return exampleOf(Buffer.concat(chunks), format);
  } catch (error) {
    throw error instanceof NoExample ? error : new NoExample('must be the link of a file that can be reached', error);
  } finally {
    await http.close();
  }
}
