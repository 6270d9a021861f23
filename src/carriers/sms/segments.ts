import { ESCAPE, SEPTET, SEPTET_COST } from './gsm-alphabet.js';

/** An SMS text in the encoding and the parts in which it goes out. */
export interface SmsSegmentation {
  /** `gsm7`: GSM 7-bit default alphabet (data_coding 0); `ucs2`: UTF-16BE (data_coding 8). */
  encoding: 'gsm7' | 'ucs2';
  /** Text of each part, in order; they join to the whole text. At least one. */
  parts: readonly string[];
}

/** One part as a carrier sends it. */
export interface EncodedPart {
  /** User data header with the concatenation element; null for a message of one part. */
  udh: Buffer | null;
  /** Without the header. `gsm7`: a septet per octet, not packed, escapes included; `ucs2`: UTF-16BE. */
  userData: Buffer;
  /** Octets of header and text together once septets are packed; at most 140 (3GPP TS 23.040 §9.2.3.24). */
  octets: number;
}

/** The sequence number of a part has 8 bits (3GPP TS 23.040 §9.2.3.24.1): a longer text cannot be sent as one message. */
export const MAX_PARTS = 255;

// 140 octets hold 160 septets or 70 UTF-16 units; the six octets of the concatenation header leave 153 or 67.
const SINGLE_SEPTETS = 160;
const PART_SEPTETS = 153;
const SINGLE_UNITS = 70;
const PART_UNITS = 67;
const HEADER_OCTETS = 6;

/** Septets of the whole text, or -1 when a character is not in the GSM alphabet. */
function countSeptets(text: string): number {
  let septets = 0;
  for (let index = 0; index < text.length; index++) {
    const cost = SEPTET_COST[text.charCodeAt(index)];
    if (!cost) return -1;
    septets += cost;
  }
  return septets;
}

/** Where the GSM part that begins at `start` ends. A character's escape pair is never divided. */
function endOfGsmPart(text: string, start: number): number {
  let septets = 0;
  let index = start;
  for (; index < text.length; index++) {
    septets += SEPTET_COST[text.charCodeAt(index)] as number;
    if (septets > PART_SEPTETS) break;
  }
  return index;
}

/** Where the UCS-2 part that begins at `start` ends. A surrogate pair is never divided; a combining sequence may be. */
function endOfUcs2Part(text: string, start: number): number {
  const end = start + PART_UNITS;
  if (end >= text.length) return text.length;
  const dividesPair = (text.charCodeAt(end) & 0xfc00) === 0xdc00 && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return dividesPair ? end - 1 : end;
}

/**
 * Divides an SMS text into parts: 160 septets alone or 153 in each of several, 70 or 67 UTF-16 units where a character
 * is not in the GSM alphabet (3GPP TS 23.038 §6.2.1, TS 23.040 §9.2.3.24.1). An empty text is one empty part.
 */
export function segment(text: string): SmsSegmentation {
  const septets = countSeptets(text);
  const encoding = septets >= 0 ? 'gsm7' : 'ucs2';
  if (septets >= 0 ? septets <= SINGLE_SEPTETS : text.length <= SINGLE_UNITS) return { encoding, parts: [text] };
  const endOfPart = encoding === 'gsm7' ? endOfGsmPart : endOfUcs2Part;
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPart(text, start);
    parts.push(text.slice(start, end));
    start = end;
  }
  return { encoding, parts };
}

/** How many parts `segment` makes of the text, without making them: this runs for every accepted SMS. */
export function countParts(text: string): number {
  const septets = countSeptets(text);
  if (septets >= 0 ? septets <= SINGLE_SEPTETS : text.length <= SINGLE_UNITS) return 1;
  const endOfPart = septets >= 0 ? endOfGsmPart : endOfUcs2Part;
  let parts = 0;
  for (let start = 0; start < text.length; parts++) start = endOfPart(text, start);
  return parts;
}

/** A character that keeps a text from going out in the GSM alphabet. */
export interface ForcingCharacter {
  character: string;
  /** Its place in the text, in Unicode code points from 0. */
  index: number;
}

/** The first character of a text that forces UCS-2; null when none does. */
export function firstForcingCharacter(text: string): ForcingCharacter | null {
  let index = 0;
  for (const character of text) {
    // What lies beyond the first plane is two units, neither of which is in the alphabet.
    if (!SEPTET_COST[character.charCodeAt(0)]) return { character, index };
    index += 1;
  }
  return null;
}

/**
 * The 8-bit reference by which a telephone puts the parts of one message together; the same for every attempt.
 * It is the low octet of the counter in our UUIDv7, so that messages of one millisecond to one number differ.
 * @param messageId a UUIDv7
 */
export function concatenationReference(messageId: string): number {
  return Number.parseInt(messageId.slice(26, 28), 16);
}

function gsmOctets(text: string): Buffer {
  const octets = Buffer.allocUnsafe(countSeptets(text));
  let offset = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (SEPTET_COST[unit] === 2) octets[offset++] = ESCAPE;
    octets[offset++] = SEPTET[unit] as number;
  }
  return octets;
}

/**
 * The parts of a message as a carrier sends them.
 * @param reference 0–255, see `concatenationReference`
 * @throws {RangeError} for more than `MAX_PARTS` parts
 */
export function encodeParts({ encoding, parts }: SmsSegmentation, reference: number): EncodedPart[] {
  const total = parts.length;
  if (total > MAX_PARTS) throw new RangeError(`a message of ${total} parts exceeds the limit of ${MAX_PARTS}`);
  return parts.map((text, index) => {
    // Information element 0x00 (concatenated short messages, 8-bit reference) of three octets.
    const udh = total === 1 ? null : Buffer.from([0x05, 0x00, 0x03, reference, total, index + 1]);
    const headerOctets = udh ? HEADER_OCTETS : 0;
    if (encoding === 'ucs2') {
      const userData = Buffer.from(text, 'utf16le').swap16();
      return { udh, userData, octets: headerOctets + userData.length };
    }
    const userData = gsmOctets(text);
    // The text begins at a septet boundary: the header of six octets takes up seven septets.
    const septets = userData.length + Math.ceil((headerOctets * 8) / 7);
    return { udh, userData, octets: Math.ceil((septets * 7) / 8) };
  });
}
