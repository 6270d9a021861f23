import { FieldWriter } from './field-writer.js';
import type { Pdu } from './pdu.js';
import { readCString, type Tlvs } from './tlvs.js';

export interface Address {
  ton: number;
  npi: number;
  address: string;
}

/** SMPP 3.4 §4.4.1. */
export interface SubmitSm {
  serviceType: string;
  source: Address;
  destination: Address;
  esmClass: number;
  /** An empty string lets the SMSC use its default. */
  validityPeriod: string;
  registeredDelivery: number;
  dataCoding: number;
  /** At most 254 octets, including the user data header. */
  shortMessage: Buffer;
  tlvs: Tlvs;
}

/** @throws {RangeError} */
export function writeSubmit({ source, destination, ...fields }: SubmitSm): Buffer {
  return new FieldWriter()
    .cString(fields.serviceType)
    .octet(source.ton)
    .octet(source.npi)
    .cString(source.address)
    .octet(destination.ton)
    .octet(destination.npi)
    .cString(destination.address)
    .octet(fields.esmClass)
    .octet(0) // protocol_id
    .octet(0) // priority_flag
    .cString('') // schedule_delivery_time: immediately
    .cString(fields.validityPeriod)
    .octet(fields.registeredDelivery)
    .octet(0) // replace_if_present_flag
    .octet(fields.dataCoding)
    .octet(0) // sm_default_msg_id
    .shortMessage(fields.shortMessage)
    .tlvs(fields.tlvs).body;
}

/** Returns an empty string if the response has no body, as in many refusals (SMPP 3.4 §4.4.2). */
export function readMessageId(response: Pdu): string {
  return readCString(response.body);
}
