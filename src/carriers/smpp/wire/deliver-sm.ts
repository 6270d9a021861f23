import { FieldReader } from './field-reader.js';
import { COMMAND, type Pdu } from './pdu.js';
import { TAG, type Tlvs } from './tlvs.js';

export interface IncomingMessage {
  sourceTon: number;
  source: string;
  destinationTon: number;
  destination: string;
  esmClass: number;
  dataCoding: number;
  /** Field schedule_delivery_time, which most SMSCs leave empty. */
  scheduleDeliveryTime: string;
  /** Content of short_message or, if that field is empty, of message_payload, including the user data header. */
  octets: Buffer;
  tlvs: Tlvs;
}

/**
 * SMPP 3.4 §4.6.1, §4.7.1.
 * @throws {MalformedPduError}
 */
export function readMessage({ commandId, body }: Pdu): IncomingMessage {
  const fields = new FieldReader(body);
  fields.cString(); // service_type
  const sourceTon = fields.octet();
  fields.octet(); // source_addr_npi
  const source = fields.cString();
  const destinationTon = fields.octet();
  fields.octet(); // dest_addr_npi
  const destination = fields.cString();
  const esmClass = fields.octet();
  const remaining = commandId === COMMAND.data_sm ? readRestOfDataSm(fields) : readRestOfDeliverSm(fields);
  return { sourceTon, source, destinationTon, destination, esmClass, ...remaining };
}

type RemainingFields = Pick<IncomingMessage, 'dataCoding' | 'scheduleDeliveryTime' | 'octets' | 'tlvs'>;

function readRestOfDataSm(fields: FieldReader): RemainingFields {
  fields.octet(); // registered_delivery
  const dataCoding = fields.octet();
  const tlvs = fields.tlvs();
  return { dataCoding, scheduleDeliveryTime: '', octets: tlvs.get(TAG.messagePayload) ?? Buffer.alloc(0), tlvs };
}

function readRestOfDeliverSm(fields: FieldReader): RemainingFields {
  fields.octet(); // protocol_id
  fields.octet(); // priority_flag
  const scheduleDeliveryTime = fields.cString();
  fields.cString(); // validity_period
  fields.octet(); // registered_delivery
  fields.octet(); // replace_if_present_flag
  const dataCoding = fields.octet();
  fields.octet(); // sm_default_msg_id
  const shortMessage = fields.octets(fields.octet());
  const tlvs = fields.tlvs();
  const octets = shortMessage.length > 0 ? shortMessage : (tlvs.get(TAG.messagePayload) ?? shortMessage);
  return { dataCoding, scheduleDeliveryTime, octets, tlvs };
}
