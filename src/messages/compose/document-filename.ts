import { findFileExtension } from '../../carriers/media/file-names.js';

const FALLBACK_NAME = 'document.pdf';
const MAX_NAME_LENGTH = 240;

/** Returns the decoded last path segment of the URL, with `.pdf` added if it has no extension. */
export function toDocumentFilename(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  const name = decode(segment)
    // Remove path separators and control characters, which file names cannot have, and bidirectional controls, which could
    // disguise the extension.
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}/\\]/gu, '')
    .replace(/(?<![. ])[. ]+$/u, '')
    .trim();
  const extension = /\.(?=\d*\p{L})[\p{L}\p{N}_-]{1,20}$/u.exec(name)?.[0] ?? '';
  const base = [...name.slice(0, name.length - extension.length)].slice(0, MAX_NAME_LENGTH).join('');
  if (base === '') return FALLBACK_NAME;
  return `${base}${extension || '.pdf'}`;
}

/** Uses the file name of the link if no file name is given. */
export function chooseDocumentName(filename: string | undefined, link: string): string {
  const linkName = toDocumentFilename(link);
  if (filename === undefined || filename === '') return linkName;
  if (findFileExtension(filename) !== null) return filename;
  return `${filename}.${findFileExtension(linkName) ?? 'pdf'}`;
}

/** WhatsApp shows a document without a name as `Untitled`, and phones cannot open it. */
export function withDocumentNames<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withDocumentNames) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]: [string, unknown]) => [
      name,
      name === 'document' ? withDocumentName(item) : withDocumentNames(item),
    ]),
  ) as T;
}

function withDocumentName(document: unknown): unknown {
  const { link, filename } = (document ?? {}) as { link?: unknown; filename?: unknown };
  if (typeof link !== 'string' || !URL.canParse(link)) return document;
  return {
    ...(document as object),
    filename: chooseDocumentName(typeof filename === 'string' ? filename : undefined, link),
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
