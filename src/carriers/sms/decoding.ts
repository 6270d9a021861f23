import { decodeJapanese, decodeKorean } from './asian-charsets.js';
import { ESCAPE, SEPTET, SEPTET_COST } from './gsm-alphabet.js';
import { LOCKING_TABLES, type SeptetTable, SINGLE_SHIFT_TABLES } from './national-tables.js';

/** The alphabet of data_coding 0 depends on the SMSC. */
export type DefaultAlphabet = 'gsm7' | 'latin1' | 'utf8';

/** Language identifiers (3GPP TS 23.040 §9.2.3.24.15 and 16). */
export interface LanguageShifts {
  locking: number;
  single: number;
}

/**
 * Encodings are stored with the parts of messages, so existing names must keep their meaning. `gsm7/3/2` is GSM 7-bit
 * with the locking shift table of language 3 and the single shift table of language 2.
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

export interface EncodedText {
  octets: Buffer;
  encoding: TextEncoding;
}

const NO_SHIFTS: LanguageShifts = { locking: 0, single: 0 };

/**
 * Encodings by data_coding (SMPP 3.4 §5.2.19). Other values have no defined encoding and are read as Latin-1, which
 * loses no octet.
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

/** Values below 16 are defined by SMPP, and higher values are coding groups of 3GPP TS 23.038 §4. */
export function findEncoding(
  dataCoding: number,
  alphabet: DefaultAlphabet,
  shifts: LanguageShifts = NO_SHIFTS,
): TextEncoding | 'binary' {
  const encoding = dataCoding < 0x10 ? (SMPP_ENCODINGS[dataCoding] ?? 'latin1') : findGroupEncoding(dataCoding);
  if (encoding !== 'default') return encoding;
  const isShifted = alphabet === 'gsm7' && (shifts.locking !== 0 || shifts.single !== 0);
  return isShifted ? `gsm7/${shifts.locking}/${shifts.single}` : alphabet;
}

function findGroupEncoding(dataCoding: number): 'default' | 'binary' | 'ucs2' {
  const group = dataCoding >> 4;
  // Groups 0000 to 0111 are general. Bit 5 marks compressed text (TS 23.042).
  if (group <= 7) {
    if (dataCoding & 0x20) return 'binary';
    return (['default', 'binary', 'ucs2', 'default'] as const)[(dataCoding >> 2) & 3] as 'default';
  }
  // Group 1110 is a message waiting indication in UCS-2.
  if (group === 0xe) return 'ucs2';
  // Group 1111: message class.
  if (group === 0xf) return dataCoding & 0x04 ? 'binary' : 'default';
  // The remaining groups are reserved, or message waiting indications in the default alphabet.
  return 'default';
}

/** The octets of all parts must be joined before decoding, because a character that is split across two parts would be lost. */
export function decodeText({ octets, encoding }: EncodedText): string {
  switch (encoding) {
    case 'ucs2':
      return decodeUcs2(octets);
    case 'latin1':
      return octets.toString('latin1');
    case 'utf8':
    case 'iso-8859-5':
    case 'iso-8859-8':
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

/** SMS uses big-endian, but some gateways forward little-endian text with a byte order mark. */
export function decodeUcs2(octets: Buffer): string {
  const wholeUnits = octets.subarray(0, octets.length - (octets.length % 2));
  const isLittleEndian = wholeUnits[0] === 0xff && wholeUnits[1] === 0xfe;
  const text = (isLittleEndian ? wholeUnits : Buffer.from(wholeUnits).swap16()).toString('utf16le');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

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
 * Octets above 0x7F and a trailing escape become spaces (TS 23.038 §6.2.1). The rules for missing characters and
 * unknown languages are in §6.2.1.1, §6.2.1.2.2 and §6.2.1.2.4.
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
