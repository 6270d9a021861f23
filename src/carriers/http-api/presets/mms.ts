import type { InboundFile } from '../../inbound-message.js';
import { findValue, parsePath, toText } from '../answer/json-path.js';

export function textAt(item: unknown, path: string): string | null {
  return toText(findValue(item, parsePath(path)));
}

export function numberAt(item: unknown, path: string): number | null {
  const number = Number(textAt(item, path) ?? Number.NaN);
  return Number.isInteger(number) ? number : null;
}

export function listAt(item: unknown, path: string): unknown[] {
  const value = findValue(item, parsePath(path));
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? [value] : [];
}

export function urlsAt(item: unknown, path: string): string[] {
  const value = findValue(item, parsePath(path));
  return (Array.isArray(value) ? value : [value]).flatMap((entry) => toText(entry) ?? []).filter(isUrl);
}

export interface ListedFiles {
  list: string;
  url: string;
  mimeType?: string;
  name?: string;
  kind?: string;
}

/** Lists the files of an MMS, without layouts (SMIL) and texts, which have no URL. */
export function filesIn(item: unknown, { list, url, mimeType, name, kind }: ListedFiles): InboundFile[] {
  return listAt(item, list).flatMap((file) => {
    const address = textAt(file, url);
    const type = mimeType === undefined ? toTypePattern(kind) : textAt(file, mimeType);
    if (address === null || !isUrl(address) || type?.startsWith('application/smil')) return [];
    const filename = name === undefined ? null : textAt(file, name);
    return [{ url: address, mimeType: type, ...(filename !== null && { filename }) }];
  });
}

/** Lists files in numbered fields such as `MediaUrl0` and `MediaContentType0`. */
export function numberedFiles(
  item: unknown,
  { count, url, mimeType }: { count: string; url: string; mimeType: string },
): InboundFile[] {
  const files = Math.min(numberAt(item, count) ?? 0, MAX_FILES);
  return Array.from({ length: files }, (_, index) => index).flatMap((index) => {
    const address = textAt(item, `${url}${index}`);
    return address !== null && isUrl(address) ? [{ url: address, mimeType: textAt(item, `${mimeType}${index}`) }] : [];
  });
}

const MAX_FILES = 100;

function toTypePattern(kind: string | undefined): string | null {
  return kind === 'image' || kind === 'audio' || kind === 'video' ? `${kind}/*` : null;
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
