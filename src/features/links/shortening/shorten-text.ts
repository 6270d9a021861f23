/** Longer targets stay as they are. Browsers and servers accept URLs of at least this length. */
export const MAX_TARGET_LENGTH = 2_048;
/** Further links of a message stay as they are. */
const MAX_LINKS = 10;

const URL_START = /https?:\/\//gi;
/** Characters after which a URL in a text ends. */
const URL_END = /[\s<>"'`{}|\\^\p{Cc}]/u;
const TRAILING_PUNCTUATION = new Set('.,;:!?)]…。，！？'.split(''));

export interface ShortLink {
  code: string;
  /** An http or https URL, as it was written in the message. */
  target: string;
}

export interface Shortener {
  /** Start of each short link, such as `https://messages.example.com/l/`. */
  base: string;
  /** Origins (`https://shop.example`) that may be shortened. */
  origins: ReadonlySet<string>;
  createCode(): string;
}

export interface ShortenedText {
  text: string;
  /** Without duplicates: a link that occurs twice has one code. */
  links: readonly ShortLink[];
}

/**
 * Replaces the http and https URLs of a text by short links. URLs of other origins, with a password, or longer than
 * MAX_TARGET_LENGTH stay as they are, and so do short links.
 */
export function shortenText(text: string, shortener: Shortener, earlier: readonly ShortLink[] = []): ShortenedText {
  const links = [...earlier];
  let shortened = '';
  let end = 0;
  for (const { start, url } of findUrls(text)) {
    const code = findCode(url, shortener, links);
    if (code === null) continue;
    shortened += text.slice(end, start) + shortener.base + code;
    end = start + url.length;
  }
  return { text: shortened + text.slice(end), links };
}

/** Returns the code of the link to a URL, which is added to `links` unless it is already there; null: not shortened. */
export function findCode(url: string, { base, origins, createCode }: Shortener, links: ShortLink[]): string | null {
  const earlierLink = links.find(({ target }) => target === url);
  if (earlierLink) return earlierLink.code;
  const origin = readOrigin(url);
  if (links.length >= MAX_LINKS || origin === null || !origins.has(origin) || url.startsWith(base)) return null;
  const code = createCode();
  links.push({ code, target: url });
  return code;
}

/**
 * Lists the origins of all URLs in texts of the sender. Only links to these origins are shortened. Otherwise a person could
 * choose a link as their WhatsApp name, and the greeting of a message would turn it into a link of the sender's domain.
 */
export function listOrigins(texts: Iterable<string>): Set<string> {
  const origins = new Set<string>();
  for (const text of texts) {
    for (const { url } of findUrls(text)) {
      const origin = readOrigin(url);
      if (origin !== null) origins.add(origin);
    }
  }
  return origins;
}

function* findUrls(text: string): Generator<{ start: number; url: string }> {
  let end = 0;
  for (const { index: start } of text.matchAll(URL_START)) {
    if (start < end) continue;
    const excerpt = text.slice(start, start + MAX_TARGET_LENGTH + 1);
    const length = excerpt.search(URL_END);
    const url = trimPunctuation(length === -1 ? excerpt : excerpt.slice(0, length));
    end = start + url.length;
    yield { start, url };
  }
}

/** Keeps a closing parenthesis that belongs to the URL, as in `https://en.wikipedia.org/wiki/Hermes_(god)`. */
function trimPunctuation(url: string): string {
  let end = url.length;
  while (end > 0 && TRAILING_PUNCTUATION.has(url[end - 1] as string)) {
    if (url[end - 1] === ')' && url.slice(0, end).includes('(')) break;
    end--;
  }
  return url.slice(0, end);
}

/** Null for a URL that is not shortened. */
function readOrigin(url: string): string | null {
  if (url.length > MAX_TARGET_LENGTH || !URL.canParse(url)) return null;
  const { protocol, origin, username, password, hostname } = new URL(url);
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && hostname !== '' && username === '' && password === '' ? origin : null;
}
