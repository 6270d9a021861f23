import type { Concatenation } from '../inbound-message.js';
import type { LanguageShifts } from './decoding.js';

/** 3GPP TS 23.040 §9.2.3.24. */
const ELEMENT = {
  concatenation8: 0x00,
  concatenation16: 0x08,
  singleShift: 0x24,
  lockingShift: 0x25,
} as const;

export interface UserDataHeader {
  /** As received, not validated. */
  concatenation: Concatenation | null;
  shifts: LanguageShifts;
}

/** If an element is repeated, the last element counts (§9.2.3.24). `header` excludes the length octet. */
export function readUserDataHeader(header: Buffer): UserDataHeader {
  const result: UserDataHeader = { concatenation: null, shifts: { locking: 0, single: 0 } };
  for (let offset = 0; offset + 2 <= header.length; ) {
    const data = header.subarray(offset + 2, offset + 2 + (header[offset + 1] as number));
    readElement(header[offset] as number, data, result);
    offset += 2 + data.length;
  }
  return result;
}

function readElement(identifier: number, data: Buffer, result: UserDataHeader): void {
  if (identifier === ELEMENT.concatenation8 && data.length === 3) {
    const [reference, total, part] = data as unknown as [number, number, number];
    result.concatenation = { reference, total, part };
  } else if (identifier === ELEMENT.concatenation16 && data.length === 4) {
    result.concatenation = { reference: data.readUInt16BE(0), total: data[2] as number, part: data[3] as number };
  } else if (identifier === ELEMENT.singleShift && data.length === 1) {
    result.shifts.single = data[0] as number;
  } else if (identifier === ELEMENT.lockingShift && data.length === 1) {
    result.shifts.locking = data[0] as number;
  }
}
