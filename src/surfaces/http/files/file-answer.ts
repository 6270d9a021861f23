import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseByteRange } from './byte-range.js';

export interface AnsweredFile {
  mimeType: string;
  /** File size in bytes. */
  size: number;
  /** SHA-256 in Base64. */
  sha256: string;
  filename: string | null;
  open(range?: { start: number; end: number }): Promise<Readable>;
}

/**
 * Media types that browsers may display, with their file extensions. Files of other types are downloaded, because a document
 * could contain a web page with scripts.
 */
const INLINE_TYPES: Readonly<Record<string, RegExp>> = {
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

/** The extension must match the media type, because the same bytes can be both a valid image and a valid web page. */
function isInline({ mimeType, filename }: Pick<AnsweredFile, 'mimeType' | 'filename'>): boolean {
  const extension = Object.hasOwn(INLINE_TYPES, mimeType) ? INLINE_TYPES[mimeType] : undefined;
  if (!extension) return false;
  return filename === null || !filename.includes('.') || extension.test(filename);
}

/** Prevents scripts from running in a file whose URL is opened directly. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; sandbox; frame-ancestors 'none'";

/** Lets clients cache the response, because the content of a file ID never changes. */
export async function sendFile(
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
    .header('content-disposition', toContentDisposition(file))
    .header('x-content-type-options', 'nosniff');
  if (matchesTag(headers['if-none-match'], tag)) return reply.code(304).send();
  const { 'if-range': ifRange } = headers;
  // A caller that has a different version of the file needs the whole file (RFC 9110 §13.1.5).
  const isCurrent = ifRange === undefined || ifRange === tag;
  const range = isCurrent ? parseByteRange(headers.range, file.size) : 'whole';
  if (range === 'unsatisfiable') {
    return reply.code(416).header('content-range', `bytes */${file.size}`).header('content-length', 0).send();
  }
  reply.type(file.mimeType);
  if (range === 'whole') return reply.header('content-length', file.size).send(await file.open());
  const { start, end } = range;
  return reply
    .code(206)
    .header('content-range', `bytes ${start}-${end}/${file.size}`)
    .header('content-length', end - start + 1)
    .send(await file.open(range));
}

function matchesTag(header: string | undefined, tag: string): boolean {
  return header?.split(',').some((entry) => entry.trim() === tag || entry.trim() === '*') ?? false;
}

/** Supports file names in any script (RFC 6266 §4.3) with an ASCII fallback and the encoded name (RFC 8187). */
function toContentDisposition({ mimeType, filename }: Pick<AnsweredFile, 'mimeType' | 'filename'>): string {
  const type = isInline({ mimeType, filename }) ? 'inline' : 'attachment';
  if (filename === null) return type;
  const asciiName = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encodedName = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${type}; filename="${asciiName}"; filename*=UTF-8''${encodedName}`;
}
