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

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
