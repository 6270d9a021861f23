import { extensionOf } from '../../carriers/media/file-names.js';

/** Where no name can be derived from a document's URL. */
const FALLBACK = 'document.pdf';
const MAX_NAME_LENGTH = 240;

/**
 * The file name that a document is sent under: the percent-decoded last path segment of its URL, without the query.
 * `.pdf` is added to a name without extension (a dot, then letters and digits with a letter among them), and `document.pdf` stands for a URL that holds none.
 * @param url an absolute http or https URL
 */
export function documentFilename(url: string): string {
  const segment = new URL(url).pathname.split('/').at(-1) ?? '';
  const name = decode(segment)
    // A decoded segment may hold a path separator or control characters, which no file name has, and characters that
    // turn the direction of writing, which show another extension than there is.
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}/\\]/gu, '')
    .replace(/(?<![. ])[. ]+$/u, '')
    .trim();
  const extension = /\.(?=\d*\p{L})[\p{L}\p{N}_-]{1,20}$/u.exec(name)?.[0] ?? '';
  const base = [...name.slice(0, name.length - extension.length)].slice(0, MAX_NAME_LENGTH).join('');
  if (base === '') return FALLBACK;
  return `${base}${extension || '.pdf'}`;
}

/**
 * The file name of a document that is sent by a link: the given name, with the link's extension if it has none. Without a given name,
 * the link's file name.
 * @param link an absolute http or https URL
 */
export function documentName(filename: string | undefined, link: string): string {
  const ofLink = documentFilename(link);
  if (filename === undefined || filename === '') return ofLink;
  if (extensionOf(filename) !== null) return filename;
  return `${filename}.${extensionOf(ofLink) ?? 'pdf'}`;
}

/**
 * Adds file names to the documents that template components, or the object of a message, send by a link. WhatsApp shows a document
 * without a name as `Untitled`, and the phone cannot open it.
 */
export function withDocumentNames<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withDocumentNames) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]: [string, unknown]) => [
      name,
      name === 'document' ? withDocumentName(held) : withDocumentNames(held),
    ]),
  ) as T;
}

function withDocumentName(document: unknown): unknown {
  const { link, filename } = (document ?? {}) as { link?: unknown; filename?: unknown };
  if (typeof link !== 'string' || !URL.canParse(link)) return document;
  return { ...(document as object), filename: documentName(typeof filename === 'string' ? filename : undefined, link) };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
