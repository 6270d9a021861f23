import { decodeText } from '../../../platform/text/csv-text.js';

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

/** In Latin-1 what is no charset that is known, such as data for an application: no octet is lost. */
function decode(octets: Buffer, charset: string): string {
  try {
    return decodeText(charset, octets);
  } catch {
    return octets.toString('latin1');
  }
}
