import { decodeText } from '../../../platform/text/csv-text.js';
import { decodeUcs2 } from '../../sms/decoding.js';

/**
 * The fields of a query of which one is written in a charset that another one names; all else is UTF-8. A query is usually read
 * as UTF-8 altogether, which leaves nothing of other octets.
 * @param url path and query as they came, or a query alone
 * @param text name of the field in that charset
 * @param charset name of the field that says which (IANA)
 */
export function queryInCharset(url: string, text: string, charset: string): Record<string, string> {
  const fields = url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      return { name: utf8(at < 0 ? pair : pair.slice(0, at)), octets: octetsOf(at < 0 ? '' : pair.slice(at + 1)) };
    });
  const named = fields.find(({ name }) => name === charset)?.octets.toString() ?? 'utf-8';
  return Object.fromEntries(
    fields.map(({ name, octets }) => [name, name === text ? decode(octets, named) : octets.toString()]),
  );
}

/**
 * Decodes a text that a vendor wrote in JSON as the percent-encoded octets of another charset, such as `%00S%00T` and UTF-16BE.
 * @returns null if the text needs no decoding: it is not percent-encoded, or the charset is UTF-8
 */
export function decodeEscaped(text: string, charset: string): string | null {
  if (/^utf-?8$/i.test(charset.trim())) return null;
  const isEscaped = /^(?:[\x20-\x24\x26-\x7e]|%[0-9a-f]{2})*$/i.test(text) && /[%+]/.test(text);
  if (!isEscaped) return null;
  // A plus sign is an escaped space, unless there are spaces that are not escaped.
  return decode(octetsOf(text.includes(' ') ? text.replaceAll('+', '%2B') : text), charset);
}

function utf8(written: string): string {
  return octetsOf(written).toString();
}

/** What a form or query has written, unescaped. */
function octetsOf(written: string): Buffer {
  const octets = written.replaceAll('+', ' ').replace(/%([0-9a-f]{2})/gi, (_, hex: string) => char(hex));
  return Buffer.from(octets, 'latin1');
}

function char(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** UTF-16 without a byte order mark is big-endian, as in SMS (RFC 2781 §4.3). `TextDecoder` assumes little-endian. */
const UTF_16 = /^(?:utf-?16(?:be)?|ucs-?2(?:be)?|iso-10646-ucs-2|csucs2|unicode)$/i;

/** In Latin-1 what is no charset that is known, such as data for an application: no octet is lost. */
function decode(octets: Buffer, charset: string): string {
  if (UTF_16.test(charset.trim())) return decodeUcs2(octets);
  try {
    return decodeText(charset, octets);
  } catch {
    return octets.toString('latin1');
  }
}
