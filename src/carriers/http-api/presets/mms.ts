import type { InboundFile } from '../../inbound-message.js';
import { parsePath, textOf, valueAt } from '../answer/json-path.js';

/** The text at a path of a report; null where there is none. */
export function textAt(item: unknown, path: string): string | null {
  return textOf(valueAt(item, parsePath(path)));
}

/** The whole number at a path of a report; null where there is none. */
export function numberAt(item: unknown, path: string): number | null {
  const number = Number(textAt(item, path) ?? Number.NaN);
  return Number.isInteger(number) ? number : null;
}

/** The list at a path of a report; an object counts as a list of one. */
export function listAt(item: unknown, path: string): unknown[] {
  const found = valueAt(item, parsePath(path));
  if (Array.isArray(found)) return found;
  return typeof found === 'object' && found !== null ? [found] : [];
}

/** Addresses in a list of texts, or in a text that is one. */
export function urlsAt(item: unknown, path: string): string[] {
  const found = valueAt(item, parsePath(path));
  return (Array.isArray(found) ? found : [found]).flatMap((each) => textOf(each) ?? []).filter(isUrl);
}

/** Names of the fields of files in a list. */
export interface ListedFiles {
  list: string;
  url: string;
  mimeType?: string;
  name?: string;
  /** What the files are, if the vendor does not give their type: `image`, `audio` or `video`. */
  kind?: string;
}

/** The files of an MMS that a vendor lists. Layouts (SMIL) and texts without an address are none. */
export function filesIn(item: unknown, { list, url, mimeType, name, kind }: ListedFiles): InboundFile[] {
  return listAt(item, list).flatMap((each) => {
    const address = textAt(each, url);
    const type = mimeType === undefined ? kindOnly(kind) : textAt(each, mimeType);
    if (address === null || !isUrl(address) || type?.startsWith('application/smil')) return [];
    const filename = name === undefined ? null : textAt(each, name);
    return [{ url: address, mimeType: type, ...(filename !== null && { filename }) }];
  });
}

/** The files of an MMS in numbered fields, such as `NumMedia`, `MediaUrl0` and `MediaContentType0`. */
export function numberedFiles(
  item: unknown,
  { count, url, mimeType }: { count: string; url: string; mimeType: string },
): InboundFile[] {
  const files = Math.min(numberAt(item, count) ?? 0, MOST_FILES);
  return Array.from({ length: files }, (_, index) => index).flatMap((index) => {
    const address = textAt(item, `${url}${index}`);
    return address !== null && isUrl(address) ? [{ url: address, mimeType: textAt(item, `${mimeType}${index}`) }] : [];
  });
}

/** More than any MMS has. */
const MOST_FILES = 100;

function kindOnly(kind: string | undefined): string | null {
  return kind === 'image' || kind === 'audio' || kind === 'video' ? `${kind}/*` : null;
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
