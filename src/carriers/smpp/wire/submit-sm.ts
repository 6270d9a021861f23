import { FieldWriter } from './field-writer.js';
import type { Pdu } from './pdu.js';
import { type Tlvs, textOf } from './tlvs.js';

/** A sender or recipient with its type of number and numbering plan. */
export interface Address {
  ton: number;
  npi: number;
  address: string;
}

/** The fields of a submit_sm that differ from one message to another (SMPP 3.4 §4.4.1). */
export interface SubmitSm {
  serviceType: string;
  source: Address;
  destination: Address;
  esmClass: number;
  /** "" leaves it to the SMSC. */
  validityPeriod: string;
  registeredDelivery: number;
  dataCoding: number;
  /** At most 254 octets, the user data header included. */
  shortMessage: Buffer;
  tlvs: Tlvs;
}

/**
 * The body of a submit_sm.
 * @throws {RangeError} when a field cannot be written
 */
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
    .cString('') // schedule_delivery_time: at once
    .cString(fields.validityPeriod)
    .octet(fields.registeredDelivery)
    .octet(0) // replace_if_present_flag
    .octet(fields.dataCoding)
    .octet(0) // sm_default_msg_id
    .shortMessage(fields.shortMessage)
    .tlvs(fields.tlvs).body;
}

/** The message_id of a submit_sm_resp (§4.4.2); "" where the response has no body, as one that refuses may have none. */
export function readMessageId(response: Pdu): string {
  return textOf(response.body);
}
