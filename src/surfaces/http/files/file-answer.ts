import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { byteRange } from './byte-range.js';

/** A file that a request is answered with. */
export interface AnsweredFile {
  mimeType: string;
  /** In bytes. */
  size: number;
  /** SHA-256 in base64. */
  sha256: string;
  filename: string | null;
  /** All of its bytes, or a part of them. */
  open(range?: { start: number; end: number }): Promise<Readable>;
}

/** Types that a browser may show by itself, with the extensions of their files. Anything else is saved: a document can hold a page. */
const SHOWN: Readonly<Record<string, RegExp>> = {
  'image/jpeg': /\.jpe?g$/i,
  'image/png': /\.png$/i,
  'image/webp': /\.webp$/i,
  'audio/aac': /\.aac$/i,
  'audio/amr': /\.amr$/i,
  'audio/mpeg': /\.(mp3|mpga|mpeg)$/i,
  'audio/mp4': /\.(m4a|mp4)$/i,
  'audio/ogg': /\.(ogg|oga|opus)$/i,
  'video/3gpp': /\.(3gpp?|3g2)$/i,
  'video/mp4': /\.(mp4|m4v)$/i,
};

/**
 * Whether a file is shown rather than saved. A file can be a valid image and a page at once, so its name must not say that it is
 * something else: a saved `png.html` would run in the browser.
 */
function isShown({ mimeType, filename }: Pick<AnsweredFile, 'mimeType' | 'filename'>): boolean {
  const extension = Object.hasOwn(SHOWN, mimeType) ? SHOWN[mimeType] : undefined;
  if (!extension) return false;
  return filename === null || !filename.includes('.') || extension.test(filename);
}

/** Whoever opens the address of a file itself gets a page in which nothing runs. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; sandbox; frame-ancestors 'none'";

/** Answers with a file, or with the part of it that `Range` asks for. The file of an id never changes. */
export async function answerFile(
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  file: AnsweredFile,
): Promise<FastifyReply> {
  const tag = `"${file.sha256}"`;
  reply
    .header('etag', tag)
    .header('accept-ranges', 'bytes')
    .header('cache-control', 'private, max-age=3600')
    .header('content-security-policy', POLICY)
    .header('content-disposition', disposition(file))
    .header('x-content-type-options', 'nosniff');
  if (namesTag(headers['if-none-match'], tag)) return reply.code(304).send();
  const { 'if-range': ifRange } = headers;
  // A part of another file than the caller has is of no use to it (RFC 9110 §13.1.5).
  const isSame = ifRange === undefined || ifRange === tag;
  const asked = isSame ? byteRange(headers.range, file.size) : 'whole';
  if (asked === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${file.size}`).header('content-length', 0).send();
  }
  reply.type(file.mimeType);
  if (asked === 'whole') return reply.header('content-length', file.size).send(await file.open());
  const { start, end } = asked;
  return reply
    .code(206)
    .header('content-range', `bytes ${start}-${end}/${file.size}`)
    .header('content-length', end - start + 1)
    .send(await file.open(asked));
}

function namesTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((each) => each.trim() === tag || each.trim() === '*') ?? false;
}

/** Names in any script, the way of RFC 6266 §4.3: plain for old clients, and encoded (RFC 8187). */
function disposition({ mimeType, filename }: Pick<AnsweredFile, 'mimeType' | 'filename'>): string {
  const how = isShown({ mimeType, filename }) ? 'inline' : 'attachment';
  if (filename === null) return how;
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(/['()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  return `${how}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
