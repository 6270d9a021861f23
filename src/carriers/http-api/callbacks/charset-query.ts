import { decodeText } from '../../../platform/text/csv-text.js';
import { decodeUcs2 } from '../../sms/decoding.js';

/**
 * Parses a query in which the field `text` is in another charset, because the usual parsers would destroy its octets.
 * `charset` is the name of the query field that contains the charset.
 */
export function parseQueryInCharset(url: string, text: string, charset: string): Record<string, string> {
  const fields = url
    .slice(url.indexOf('?') + 1)
    .split('&')
    .map((pair) => {
      const separator = pair.indexOf('=');
      const [name, value] = separator < 0 ? [pair, ''] : [pair.slice(0, separator), pair.slice(separator + 1)];
      return { name: decodeUtf8(name), octets: decodeOctets(value) };
    });
  const charsetName = fields.find(({ name }) => name === charset)?.octets.toString() ?? 'utf-8';
  return Object.fromEntries(
    fields.map(({ name, octets }) => [name, name === text ? decode(octets, charsetName) : octets.toString()]),
  );
}

/** Decodes percent-encoded octets such as `%00S%00T` (UTF-16BE) in a JSON text. Returns null if no octets are encoded. */
export function decodeEscaped(text: string, charset: string): string | null {
  if (/^utf-?8$/i.test(charset.trim())) return null;
  const isEscaped = /^(?:[\x20-\x24\x26-\x7e]|%[0-9a-f]{2})*$/i.test(text) && /[%+]/.test(text);
  if (!isEscaped) return null;
  // A plus sign encodes a space, unless the text also contains plain spaces.
  return decode(decodeOctets(text.includes(' ') ? text.replaceAll('+', '%2B') : text), charset);
}

function decodeUtf8(encodedText: string): string {
  return decodeOctets(encodedText).toString();
}

function decodeOctets(encodedText: string): Buffer {
  const octets = encodedText.replaceAll('+', ' ').replace(/%([0-9a-f]{2})/gi, (_, hex: string) => toCharacter(hex));
  return Buffer.from(octets, 'latin1');
}

function toCharacter(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/**
 * Charset names that mean big-endian as in SMS without a byte order mark (RFC 2781 §4.3). `TextDecoder` would assume
 * little-endian.
 */
const UTF_16 = /^(?:utf-?16(?:be)?|ucs-?2(?:be)?|iso-10646-ucs-2|csucs2|unicode)$/i;

/** Unknown charsets are decoded as Latin-1, which loses no octets. */
function decode(octets: Buffer, charset: string): string {
  if (UTF_16.test(charset.trim())) return decodeUcs2(octets);
  try {
    return decodeText(charset, octets);
  } catch {
    return octets.toString('latin1');
  }
}
