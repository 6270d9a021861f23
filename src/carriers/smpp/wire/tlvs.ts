/** SMPP 3.4 §5.3.2. */
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

/** If a tag is repeated, its first value is used. */
export type Tlvs = ReadonlyMap<number, Buffer>;

export function encodeOctet(value: number): Buffer {
  const octets = Buffer.allocUnsafe(1);
  octets.writeUInt8(value);
  return octets;
}

export function encodeUint16(value: number): Buffer {
  const octets = Buffer.allocUnsafe(2);
  octets.writeUInt16BE(value);
  return octets;
}

/** Many SMSCs omit the terminating NUL in TLVs. */
export function readCString(octets: Buffer): string {
  const end = octets.indexOf(0);
  return octets.toString('latin1', 0, end === -1 ? octets.length : end);
}

/** Accepts one to four octets. */
export function readUnsigned(octets: Buffer | undefined): number | null {
  return octets && octets.length > 0 ? octets.readUIntBE(0, Math.min(octets.length, 4)) : null;
}
