import fc from 'fast-check';
import smpp from 'smpp';

/** Encodes a PDU with an independent implementation, the npm package `smpp`. */
export function encodeWithPeer(command: string, fields: object = {}): Buffer {
  return new smpp.PDU(command, { sequence_number: 7, ...fields }).toBuffer();
}

/** Without the NUL. */
export const cString = (maxLength: number) =>
  fc.array(fc.integer({ min: 0x20, max: 0x7e }), { maxLength }).map((codes) => String.fromCharCode(...codes));

export const octet = fc.integer({ min: 0, max: 0xff });

export const octets = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
