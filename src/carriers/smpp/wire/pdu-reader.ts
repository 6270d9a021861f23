import { HEADER_OCTETS } from './frames.js';

/** Values of command_id (SMPP 3.4 §5.1.2.1). */
export const COMMAND = {
  genericNack: 0x80000000,
  unbind: 0x00000006,
  enquireLink: 0x00000015,
  deliverSm: 0x00000005,
  dataSm: 0x00000103,
  outbind: 0x0000000b,
  alertNotification: 0x00000102,
} as const;

const RESPONSE_BIT = 0x80000000;

/** Tags of optional parameters (SMPP 3.4 §5.3.2). */
export const TAG = {
  receiptedMessageId: 0x001e,
  userMessageReference: 0x0204,
  sarReference: 0x020c,
  sarTotal: 0x020e,
  sarSequence: 0x020f,
  scInterfaceVersion: 0x0210,
  networkErrorCode: 0x0423,
  messagePayload: 0x0424,
  messageState: 0x0427,
} as const;

/** A PDU as it came, its body unread. */
export interface Pdu {
  commandId: number;
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

export function isResponse({ commandId }: Pdu): boolean {
  return commandId >= RESPONSE_BIT;
}

/** Optional parameters by tag; the first of each. */
export type Tlvs = ReadonlyMap<number, Buffer>;

/** A deliver_sm or data_sm: a message of a telephone, or a receipt. */
export interface IncomingMessage {
  sourceTon: number;
  source: string;
  destinationTon: number;
  destination: string;
  esmClass: number;
  dataCoding: number;
  /** When the message reached the SMSC, where it tells; "" for most. */
  scheduleDeliveryTime: string;
  /** short_message, or message_payload where that is empty; the user data header included. */
  octets: Buffer;
  tlvs: Tlvs;
}

/** A PDU of a right length whose fields do not fit into it. */
export class MalformedPduError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedPduError';
  }
}

/**
 * Reads a deliver_sm (SMPP 3.4 §4.6.1) or data_sm (§4.7.1). The package's reader is not used: it decodes the text by
 * itself, and reads a TLV of text beyond its end where the SMSC leaves out the closing NUL, as many do.
 * @throws {MalformedPduError}
 */
export function readMessage(pdu: Pdu): IncomingMessage {
  const fields = new FieldReader(pdu.body);
  fields.cString(); // service_type
  const sourceTon = fields.octet();
  fields.octet();
  const source = fields.cString();
  const destinationTon = fields.octet();
  fields.octet();
  const destination = fields.cString();
  const esmClass = fields.octet();
  if (pdu.commandId === COMMAND.dataSm) {
    fields.octet(); // registered_delivery
    const dataCoding = fields.octet();
    const tlvs = fields.tlvs();
    const octets = tlvs.get(TAG.messagePayload) ?? Buffer.alloc(0);
    const scheduleDeliveryTime = '';
    return { sourceTon, source, destinationTon, destination, esmClass, dataCoding, scheduleDeliveryTime, octets, tlvs };
  }
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
  return { sourceTon, source, destinationTon, destination, esmClass, dataCoding, scheduleDeliveryTime, octets, tlvs };
}

/** The message_id of a submit_sm_resp; "" where the response has no body, as one that refuses may have none. */
export function readMessageId(pdu: Pdu): string {
  return textOf(pdu.body);
}

/** What a bind response tells: the SMSC's system_id and its version, e.g. 0x34; null where it does not say. */
export function readBindResponse(pdu: Pdu): { systemId: string; version: number | null } {
  const systemId = textOf(pdu.body);
  const fields = new FieldReader(pdu.body.subarray(Math.min(systemId.length + 1, pdu.body.length)));
  return { systemId, version: fields.tlvs().get(TAG.scInterfaceVersion)?.[0] ?? null };
}

/** The text of a C-octet string, with or without its NUL. */
export function textOf(octets: Buffer): string {
  const end = octets.indexOf(0);
  return octets.toString('latin1', 0, end === -1 ? octets.length : end);
}

/** An unsigned integer of one to four octets; null for a TLV that is absent or empty. */
export function numberOf(octets: Buffer | undefined): number | null {
  return octets && octets.length > 0 ? octets.readUIntBE(0, Math.min(octets.length, 4)) : null;
}

class FieldReader {
  readonly #buffer: Buffer;
  #offset = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  octet(): number {
    const octet = this.#buffer[this.#offset];
    if (octet === undefined) throw new MalformedPduError('the PDU ends before its mandatory fields do');
    this.#offset += 1;
    return octet;
  }

  cString(): string {
    const end = this.#buffer.indexOf(0, this.#offset);
    if (end === -1) throw new MalformedPduError('a text of the PDU has no end');
    const text = this.#buffer.toString('latin1', this.#offset, end);
    this.#offset = end + 1;
    return text;
  }

  octets(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#buffer.length) throw new MalformedPduError('sm_length exceeds the PDU');
    const octets = this.#buffer.subarray(this.#offset, end);
    this.#offset = end;
    return octets;
  }

  /** The rest; what does not fit any more is left out, for the mandatory fields are worth more than a torn TLV. */
  tlvs(): Map<number, Buffer> {
    const tlvs = new Map<number, Buffer>();
    while (this.#offset + 4 <= this.#buffer.length) {
      const tag = this.#buffer.readUInt16BE(this.#offset);
      const start = this.#offset + 4;
      const end = start + this.#buffer.readUInt16BE(this.#offset + 2);
      if (end > this.#buffer.length) break;
      if (!tlvs.has(tag)) tlvs.set(tag, this.#buffer.subarray(start, end));
      this.#offset = end;
    }
    return tlvs;
  }
}
