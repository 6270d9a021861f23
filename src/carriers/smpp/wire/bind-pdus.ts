import { FieldReader } from './field-reader.js';
import { FieldWriter } from './field-writer.js';
import type { Pdu } from './pdu.js';
import { readCString, TAG } from './tlvs.js';

/** SMPP 3.4 §4.1.1, §4.1.3, §4.1.5. */
export interface BindFields {
  systemId: string;
  password: string;
  systemType: string;
  interfaceVersion: number;
  addressTon: number;
  addressNpi: number;
  addressRange: string;
}

/** @throws {RangeError} */
export function writeBind(fields: BindFields): Buffer {
  return new FieldWriter()
    .cString(fields.systemId)
    .cString(fields.password)
    .cString(fields.systemType)
    .octet(fields.interfaceVersion)
    .octet(fields.addressTon)
    .octet(fields.addressNpi)
    .cString(fields.addressRange).body;
}

/** SMPP 3.4 §4.1.2. `version` is the SMPP version of the SMSC, for example 0x34. */
export function readBindResponse({ body }: Pdu): { systemId: string; version: number | null } {
  const systemId = readCString(body);
  const tlvs = new FieldReader(body.subarray(Math.min(systemId.length + 1, body.length))).tlvs();
  return { systemId, version: tlvs.get(TAG.scInterfaceVersion)?.[0] ?? null };
}
