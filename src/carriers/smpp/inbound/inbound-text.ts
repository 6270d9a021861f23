import type { Concatenation } from '../../inbound-message.js';
import { concatenationOf } from '../../sms/concatenation.js';
import { ESCAPE, SEPTET, SEPTET_COST } from '../../sms/gsm-alphabet.js';
import type { SmppSettings } from '../settings.js';
import type { IncomingMessage } from '../wire/deliver-sm.js';
import { DATA_CODING, ESM_CLASS } from '../wire/field-values.js';
import { numberOf, TAG } from '../wire/tlvs.js';

/** Information elements (3GPP TS 23.040 §9.2.3.24): concatenation with a reference of one octet or of two. */
const CONCATENATED_8 = 0x00;
const CONCATENATED_16 = 0x08;

const BASIC: string[] = [];
const EXTENSION: string[] = [];
for (let unit = 0; unit < SEPTET.length; unit++) {
  const table = SEPTET_COST[unit] === 1 ? BASIC : EXTENSION;
  if (SEPTET_COST[unit]) table[SEPTET[unit] as number] = String.fromCharCode(unit);
}

export interface InboundText {
  /** Of a binary message its octets as base64. */
  text: string;
  isBinary: boolean;
  /** Null for a message of one part. */
  concatenation: Concatenation | null;
}

/** The text of an inbound message, and its place in a longer one by its user data header or its SAR TLVs. */
export function readInboundText(message: IncomingMessage, alphabet: SmppSettings['inboundAlphabet']): InboundText {
  const { octets, tlvs } = message;
  const headerOctets = message.esmClass & ESM_CLASS.udhIndicator && octets.length > 0 ? (octets[0] as number) + 1 : 0;
  const header = octets.subarray(1, Math.min(headerOctets, octets.length));
  const data = octets.subarray(headerOctets);
  const encoding = encodingOf(message.dataCoding);
  const isBinary = encoding === 'binary';
  const text = isBinary ? data.toString('base64') : decode(data, encoding, alphabet);
  const concatenation = fromHeader(header) ?? {
    reference: numberOf(tlvs.get(TAG.sarReference)) ?? 0,
    total: numberOf(tlvs.get(TAG.sarTotal)) ?? 1,
    part: numberOf(tlvs.get(TAG.sarSequence)) ?? 1,
  };
  return { text, isBinary, concatenation: concatenationOf(concatenation) };
}

function fromHeader(header: Buffer): Concatenation | null {
  for (let offset = 0; offset + 2 <= header.length; ) {
    const element = header[offset] as number;
    const data = header.subarray(offset + 2, offset + 2 + (header[offset + 1] as number));
    if (element === CONCATENATED_8 && data.length === 3) {
      const [reference, total, part] = data as unknown as [number, number, number];
      return { reference, total, part };
    }
    if (element === CONCATENATED_16 && data.length === 4) {
      return { reference: data.readUInt16BE(0), total: data[2] as number, part: data[3] as number };
    }
    offset += 2 + data.length;
  }
  return null;
}

type TextEncoding = 'default' | 'latin1' | 'ucs2';

/** A text that is in no alphabet which is known here is read as Latin-1, so that no octet is lost. */
function decode(octets: Buffer, encoding: TextEncoding, alphabet: SmppSettings['inboundAlphabet']): string {
  switch (encoding) {
    case 'ucs2':
      return decodeUcs2(octets);
    case 'latin1':
      return octets.toString('latin1');
    case 'default':
      if (alphabet === 'gsm7') return decodeGsm(octets);
      return octets.toString(alphabet);
  }
}

/** Whether a data_coding says that a text is UTF-16BE. */
export function isUcs2(dataCoding: number): boolean {
  return encodingOf(dataCoding) === 'ucs2';
}

/** What a data_coding says (SMPP 3.4 §5.2.19, 3GPP TS 23.038 §4). */
function encodingOf(dataCoding: number): TextEncoding | 'binary' {
  // Groups 00xx and 1111 of TS 23.038 keep the alphabet in bits 2 and 3; below 16 SMPP has its own list.
  if (dataCoding >= 0xf0) return dataCoding & 0x04 ? 'binary' : 'default';
  if (dataCoding >= 0x10 && dataCoding < 0x40)
    return (['default', 'binary', 'ucs2', 'default'] as const)[(dataCoding >> 2) & 3] as 'default';
  if (dataCoding === DATA_CODING.ucs2) return 'ucs2';
  if (dataCoding === DATA_CODING.octets || dataCoding === DATA_CODING.binary) return 'binary';
  return dataCoding === DATA_CODING.default ? 'default' : 'latin1';
}

/** UTF-16BE; an odd last octet is left out. */
export function decodeUcs2(octets: Buffer): string {
  const even = octets.length - (octets.length % 2);
  return Buffer.from(octets.subarray(0, even)).swap16().toString('utf16le');
}

/** A septet per octet; one that is none, and an escape that leads nowhere, become a space (TS 23.038 §6.2.1.1). */
function decodeGsm(octets: Buffer): string {
  let text = '';
  for (let index = 0; index < octets.length; index++) {
    const octet = octets[index] as number;
    if (octet === ESCAPE && index + 1 < octets.length) {
      index += 1;
      const next = octets[index] as number;
      text += EXTENSION[next] ?? BASIC[next] ?? ' ';
    } else {
      text += BASIC[octet] ?? ' ';
    }
  }
  return text;
}
