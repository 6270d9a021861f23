import { ESCAPE, SEPTET, SEPTET_COST } from './gsm-alphabet.js';

export interface SmsSegmentation {
  /** `gsm7` is the GSM 7-bit default alphabet (data_coding 0), and `ucs2` is UTF-16BE (data_coding 8). */
  encoding: 'gsm7' | 'ucs2';
  parts: readonly string[];
}

export interface EncodedPart {
  udh: Buffer | null;
  /** Text without the header. `gsm7` has one unpacked septet per octet, including escapes; `ucs2` is UTF-16BE. */
  userData: Buffer;
  /** Number of octets in the header and the packed text, at most 140 (3GPP TS 23.040 §9.2.3.24). */
  octets: number;
}

/** The part number has 8 bits (3GPP TS 23.040 §9.2.3.24.1). */
export const MAX_PARTS = 255;

// 140 octets hold 160 septets or 70 UTF-16 code units. The 6-octet concatenation header leaves room for 153 septets or 67 code
// units.
const SINGLE_SEPTETS = 160;
const PART_SEPTETS = 153;
const SINGLE_UNITS = 70;
const PART_UNITS = 67;
const HEADER_OCTETS = 6;

/** Returns -1 if a character is not in the GSM alphabet. */
function countSeptets(text: string): number {
  let septets = 0;
  for (let index = 0; index < text.length; index++) {
    const cost = SEPTET_COST[text.charCodeAt(index)];
    if (!cost) return -1;
    septets += cost;
  }
  return septets;
}

/** Never splits an escape sequence. */
function findGsmPartEnd(text: string, start: number): number {
  let septets = 0;
  let index = start;
  for (; index < text.length; index++) {
    septets += SEPTET_COST[text.charCodeAt(index)] as number;
    if (septets > PART_SEPTETS) break;
  }
  return index;
}

/** Never splits a surrogate pair, but may split a combining sequence. */
function findUcs2PartEnd(text: string, start: number): number {
  const end = start + PART_UNITS;
  if (end >= text.length) return text.length;
  const splitsPair = (text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return splitsPair ? end - 1 : end;
}

/** An empty text becomes a single empty part. The limits are from 3GPP TS 23.038 §6.2.1 and TS 23.040 §9.2.3.24.1. */
export function segment(text: string): SmsSegmentation {
  const septets = countSeptets(text);
  const encoding = septets >= 0 ? 'gsm7' : 'ucs2';
  if (septets >= 0 ? septets <= SINGLE_SEPTETS : text.length <= SINGLE_UNITS) return { encoding, parts: [text] };
  const findPartEnd = encoding === 'gsm7' ? findGsmPartEnd : findUcs2PartEnd;
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = findPartEnd(text, start);
    parts.push(text.slice(start, end));
    start = end;
  }
  return { encoding, parts };
}

export function countParts(text: string): number {
  const septets = countSeptets(text);
  if (septets >= 0 ? septets <= SINGLE_SEPTETS : text.length <= SINGLE_UNITS) return 1;
  const findPartEnd = septets >= 0 ? findGsmPartEnd : findUcs2PartEnd;
  let parts = 0;
  for (let start = 0; start < text.length; parts++) start = findPartEnd(text, start);
  return parts;
}

export interface NonGsmCharacter {
  character: string;
  /** In Unicode code points. */
  index: number;
}

export function findNonGsmCharacter(text: string): NonGsmCharacter | null {
  let index = 0;
  for (const character of text) {
    // Surrogates have no septet cost either, so both halves of a pair are outside the alphabet.
    if (!SEPTET_COST[character.charCodeAt(0)]) return { character, index };
    index += 1;
  }
  return null;
}

/**
 * Phones join parts by this reference, so it must be the same for every attempt. The reference is the low octet of the
 * counter in our UUIDv7, so messages created in the same millisecond get different references.
 */
export function deriveConcatenationReference(messageId: string): number {
  return Number.parseInt(messageId.slice(26, 28), 16);
}

function encodeGsm(text: string): Buffer {
  const octets = Buffer.allocUnsafe(countSeptets(text));
  let offset = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (SEPTET_COST[unit] === 2) octets[offset++] = ESCAPE;
    octets[offset++] = SEPTET[unit] as number;
  }
  return octets;
}

/** Throws a RangeError if there are more than `MAX_PARTS` parts. */
export function encodeParts({ encoding, parts }: SmsSegmentation, reference: number): EncodedPart[] {
  const total = parts.length;
  if (total > MAX_PARTS) throw new RangeError(`cannot send ${total} parts as one message: the limit is ${MAX_PARTS}`);
  return parts.map((text, index) => {
    // The header contains information element 0x00 (concatenation with 8-bit reference), which has 3 octets.
    const udh = total === 1 ? null : Buffer.from([0x05, 0x00, 0x03, reference, total, index + 1]);
    const headerOctets = udh ? HEADER_OCTETS : 0;
    if (encoding === 'ucs2') {
      const userData = Buffer.from(text, 'utf16le').swap16();
      return { udh, userData, octets: headerOctets + userData.length };
    }
    const userData = encodeGsm(text);
    // The text starts at a septet boundary, so the 6-octet header takes up 7 septets.
    const septets = userData.length + Math.ceil((headerOctets * 8) / 7);
    return { udh, userData, octets: Math.ceil((septets * 7) / 8) };
  });
}
