import { decodeJapanese, decodeKorean } from './asian-charsets.js';
import { ESCAPE, SEPTET, SEPTET_COST } from './gsm-alphabet.js';
import { LOCKING_TABLES, type SeptetTable, SINGLE_SHIFT_TABLES } from './national-tables.js';

/** What an SMSC's default alphabet is. */
export type DefaultAlphabet = 'gsm7' | 'latin1' | 'utf8';

/** National language tables that a user data header names (3GPP TS 23.040 §9.2.3.24.15 and 16); 0: the default ones. */
export interface LanguageShifts {
  locking: number;
  single: number;
}

/**
 * How the octets of a text are read. Stored with parts of longer messages, so existing names must keep their meaning.
 * `gsm7/3/2` is GSM 7-bit with the locking table of language 3 and the single shift table of language 2.
 */
export type TextEncoding =
  | DefaultAlphabet
  | `gsm7/${number}/${number}`
  | 'ucs2'
  | 'iso-8859-5'
  | 'iso-8859-8'
  | 'x0208'
  | 'x0212'
  | 'ks-c-5601';

/** The octets of a text and how they are read. */
export interface EncodedText {
  octets: Buffer;
  encoding: TextEncoding;
}

const NO_SHIFTS: LanguageShifts = { locking: 0, single: 0 };

/**
 * SMPP's own values of data_coding (SMPP 3.4 §5.2.19). 2 and 4 are octets. Any other below 16 is Latin-1, which loses no octet: 9
 * (pictograms) and the reserved ones have no encoding that is defined.
 */
const SMPP_ENCODINGS: Readonly<Record<number, TextEncoding | 'binary' | 'default'>> = {
  0: 'default',
  2: 'binary',
  4: 'binary',
  5: 'x0208',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  8: 'ucs2',
  10: 'x0208',
  13: 'x0212',
  14: 'ks-c-5601',
};

/**
 * How a text is read by its data_coding: below 16 by SMPP's list, from 16 by the coding groups of 3GPP TS 23.038 §4.
 * @param alphabet what the SMSC's default alphabet is
 */
export function encodingFor(
  dataCoding: number,
  alphabet: DefaultAlphabet,
  shifts: LanguageShifts = NO_SHIFTS,
): TextEncoding | 'binary' {
  const kind = dataCoding < 0x10 ? (SMPP_ENCODINGS[dataCoding] ?? 'latin1') : encodingOfGroup(dataCoding);
  if (kind !== 'default') return kind;
  const isShifted = alphabet === 'gsm7' && (shifts.locking !== 0 || shifts.single !== 0);
  return isShifted ? `gsm7/${shifts.locking}/${shifts.single}` : alphabet;
}

function encodingOfGroup(dataCoding: number): 'default' | 'binary' | 'ucs2' {
  const group = dataCoding >> 4;
  // 0000 to 0111: general, and marked for automatic deletion. Bit 5 says that the text is compressed (TS 23.042).
  if (group <= 7) {
    if (dataCoding & 0x20) return 'binary';
    return (['default', 'binary', 'ucs2', 'default'] as const)[(dataCoding >> 2) & 3] as 'default';
  }
  // 1110: message waiting, in UCS-2.
  if (group === 0xe) return 'ucs2';
  // 1111: a message class.
  if (group === 0xf) return dataCoding & 0x04 ? 'binary' : 'default';
  // 1100 and 1101 are message waiting in the default alphabet; the reserved groups are read like it.
  return 'default';
}

/** Decodes a whole text, or a part of one, in which a character that is cut at its end is lost. */
export function decodeText({ octets, encoding }: EncodedText): string {
  switch (encoding) {
    case 'ucs2':
      return decodeUcs2(octets);
    case 'latin1':
      return octets.toString('latin1');
    case 'utf8':
    case 'iso-8859-5':
    case 'iso-8859-8':
      // Ignores a byte order mark.
      return new TextDecoder(encoding).decode(octets);
    case 'x0208':
    case 'x0212':
      return decodeJapanese(octets, encoding);
    case 'ks-c-5601':
      return decodeKorean(octets);
    case 'gsm7':
      return decodeGsm(octets, NO_SHIFTS);
    default: {
      const [, locking, single] = encoding.split('/').map(Number);
      return decodeGsm(octets, { locking: locking ?? 0, single: single ?? 0 });
    }
  }
}

/**
 * UTF-16BE, or what a byte order mark at its beginning says. The mark itself is left out, and so is an odd last octet. UCS-2 is
 * big-endian in SMS, but gateways exist that pass on little-endian text with its mark.
 */
export function decodeUcs2(octets: Buffer): string {
  const even = octets.subarray(0, octets.length - (octets.length % 2));
  const isLittleEndian = even[0] === 0xff && even[1] === 0xfe;
  const text = (isLittleEndian ? even : Buffer.from(even).swap16()).toString('utf16le');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Whether octets begin with a byte order mark of UTF-16. */
export function hasByteOrderMark(octets: Buffer): boolean {
  return (octets[0] === 0xff && octets[1] === 0xfe) || (octets[0] === 0xfe && octets[1] === 0xff);
}

const BASIC: string[] = [];
const EXTENSION: string[] = [];
for (let unit = 0; unit < SEPTET.length; unit++) {
  const table = SEPTET_COST[unit] === 1 ? BASIC : EXTENSION;
  if (SEPTET_COST[unit]) table[SEPTET[unit] as number] = String.fromCharCode(unit);
}

/**
 * A septet in each octet. Octets that are no septet, and an escape at the end, become a space (TS 23.038 §6.2.1). A character that the
 * extension table does not have is read by the default or locking table instead (§6.2.1.1, §6.2.1.2.4). A language that is not known
 * counts as none (§6.2.1.2.2).
 */
function decodeGsm(octets: Buffer, { locking, single }: LanguageShifts): string {
  const basic: SeptetTable = LOCKING_TABLES.get(locking) ?? BASIC;
  const extension: SeptetTable = SINGLE_SHIFT_TABLES.get(single) ?? EXTENSION;
  let text = '';
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] as number;
    if (octet === ESCAPE && index + 1 < octets.length) {
      index += 1;
      const next = octets[index] as number;
      text += extension[next] ?? basic[next] ?? ' ';
    } else {
      text += basic[octet] ?? ' ';
    }
  }
  return text;
}
