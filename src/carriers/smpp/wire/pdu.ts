import { HEADER_OCTETS } from './frames.js';

/** Values of command_id by the names of the requests (SMPP 3.4 §5.1.2.1): those that are sent or understood here. */
export const COMMAND = {
  bind_receiver: 0x00000001,
  bind_transmitter: 0x00000002,
  submit_sm: 0x00000004,
  deliver_sm: 0x00000005,
  unbind: 0x00000006,
  bind_transceiver: 0x00000009,
  outbind: 0x0000000b,
  enquire_link: 0x00000015,
  alert_notification: 0x00000102,
  data_sm: 0x00000103,
} as const;

export type RequestName = keyof typeof COMMAND;

/** The response to a request has the request's command_id with this bit set (§5.1.2.1). */
const RESPONSE_BIT = 0x80000000;
/** The response to what cannot be read or is not known (§4.3.1): the one that belongs to no request. */
export const GENERIC_NACK = 0x80000000;

const NO_BODY = Buffer.alloc(0);
/** A message_id of no characters. */
const EMPTY_MESSAGE_ID = Buffer.alloc(1);

/** A protocol data unit with its body unread (§3.2). */
export interface Pdu {
  /** command_id. */
  commandId: number;
  /** command_status; 0 in requests. */
  status: number;
  /** sequence_number: that of a response is that of its request. */
  sequence: number;
  body: Buffer;
}

/** @param frame octets of one PDU, header included */
export function readPdu(frame: Buffer): Pdu {
  return {
    commandId: frame.readUInt32BE(4),
    status: frame.readUInt32BE(8),
    sequence: frame.readUInt32BE(12),
    body: frame.subarray(HEADER_OCTETS),
  };
}

export function writePdu({ commandId, status, sequence, body }: Pdu): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_OCTETS + body.length);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(commandId, 4);
  frame.writeUInt32BE(status, 8);
  frame.writeUInt32BE(sequence, 12);
  body.copy(frame, HEADER_OCTETS);
  return frame;
}

/** @param body left out for the requests that have none, such as enquire_link and unbind */
export function requestPdu(name: RequestName, sequence: number, body: Buffer = NO_BODY): Pdu {
  return { commandId: COMMAND[name], status: 0, sequence, body };
}

/** The response to a request of the SMSC, as an ESME sends it. */
export function responseTo({ commandId, sequence }: Pdu, status: number): Pdu {
  // message_id is unused in these responses but has to be there (§4.6.2, §4.7.2). What refuses has no body.
  const hasMessageId = status === 0 && (commandId === COMMAND.deliver_sm || commandId === COMMAND.data_sm);
  // A bitwise OR would make it negative.
  return { commandId: commandId + RESPONSE_BIT, status, sequence, body: hasMessageId ? EMPTY_MESSAGE_ID : NO_BODY };
}

/** The response to a request of the SMSC that is not known here. */
export function genericNack({ sequence }: Pdu, status: number): Pdu {
  return { commandId: GENERIC_NACK, status, sequence, body: NO_BODY };
}

export function isResponse({ commandId }: Pdu): boolean {
  return commandId >= RESPONSE_BIT;
}

/** Whether a response is the one that a request has, and no generic_nack or that of another. */
export function isResponseTo(name: RequestName, { commandId }: Pdu): boolean {
  return commandId === COMMAND[name] + RESPONSE_BIT;
}

/** Every request has a response but these two (§4.1.7, §4.12.1). */
export function hasResponse({ commandId }: Pdu): boolean {
  return commandId !== COMMAND.outbind && commandId !== COMMAND.alert_notification;
}
