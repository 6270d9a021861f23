import { HEADER_OCTETS } from './frames.js';

/** SMPP 3.4 §5.1.2.1. */
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

/** §5.1.2.1. */
const RESPONSE_BIT = 0x80000000;
/** §4.3.1. */
export const GENERIC_NACK = 0x80000000;

const NO_BODY = Buffer.alloc(0);
/** Only the NUL. */
const EMPTY_MESSAGE_ID = Buffer.alloc(1);

/** A PDU whose body is not decoded yet (§3.2). */
export interface Pdu {
  commandId: number;
  /** Always 0 in requests. */
  status: number;
  sequence: number;
  body: Buffer;
}

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

export function buildRequest(name: RequestName, sequence: number, body: Buffer = NO_BODY): Pdu {
  return { commandId: COMMAND[name], status: 0, sequence, body };
}

export function buildResponse({ commandId, sequence }: Pdu, status: number): Pdu {
  // Successful deliver_sm and data_sm responses must contain an empty message_id (§4.6.2, §4.7.2).
  const hasMessageId = status === 0 && (commandId === COMMAND.deliver_sm || commandId === COMMAND.data_sm);
  // The bit is added, because a bitwise OR would make the number negative.
  return { commandId: commandId + RESPONSE_BIT, status, sequence, body: hasMessageId ? EMPTY_MESSAGE_ID : NO_BODY };
}

export function buildGenericNack({ sequence }: Pdu, status: number): Pdu {
  return { commandId: GENERIC_NACK, status, sequence, body: NO_BODY };
}

export function isResponse({ commandId }: Pdu): boolean {
  return commandId >= RESPONSE_BIT;
}

export function isResponseTo(name: RequestName, { commandId }: Pdu): boolean {
  return commandId === COMMAND[name] + RESPONSE_BIT;
}

/** Some requests have no response (§4.1.7, §4.12.1). */
export function hasResponse({ commandId }: Pdu): boolean {
  return commandId !== COMMAND.outbind && commandId !== COMMAND.alert_notification;
}
