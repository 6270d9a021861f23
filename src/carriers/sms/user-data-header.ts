import type { Concatenation } from '../inbound-message.js';
import type { LanguageShifts } from './decoding.js';

/** Information elements (3GPP TS 23.040 §9.2.3.24). */
const ELEMENT = {
  concatenation8: 0x00,
  concatenation16: 0x08,
  singleShift: 0x24,
  lockingShift: 0x25,
} as const;

/** What a user data header says of the text behind it. */
export interface UserDataHeader {
  /** As received, without a check; null if the header has none. */
  concatenation: Concatenation | null;
  shifts: LanguageShifts;
}

/**
 * Reads a user data header. Where an element comes twice, the last one counts (§9.2.3.24).
 * @param header without its length octet
 */
export function readUserDataHeader(header: Buffer): UserDataHeader {
  const read: UserDataHeader = { concatenation: null, shifts: { locking: 0, single: 0 } };
  for (let offset = 0; offset + 2 <= header.length; ) {
    const data = header.subarray(offset + 2, offset + 2 + (header[offset + 1] as number));
    readElement(header[offset] as number, data, read);
    offset += 2 + data.length;
  }
  return read;
}

function readElement(element: number, data: Buffer, read: UserDataHeader): void {
  if (element === ELEMENT.concatenation8 && data.length === 3) {
    const [reference, total, part] = data as unknown as [number, number, number];
    read.concatenation = { reference, total, part };
  } else if (element === ELEMENT.concatenation16 && data.length === 4) {
    read.concatenation = { reference: data.readUInt16BE(0), total: data[2] as number, part: data[3] as number };
  } else if (element === ELEMENT.singleShift && data.length === 1) {
    read.shifts.single = data[0] as number;
  } else if (element === ELEMENT.lockingShift && data.length === 1) {
    read.shifts.locking = data[0] as number;
  }
}
