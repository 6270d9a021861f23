import type { ServerSession } from 'smpp';

export interface Submit {
  /** The message_id that the SMSC returned, or an empty string if the SMSC refused or did not respond. */
  id: string;
  session: ServerSession;
  sequence: number;
  source: { ton: number; npi: number; address: string };
  destination: { ton: number; npi: number; address: string };
  esmClass: number;
  registeredDelivery: number;
  dataCoding: number;
  validityPeriod: string;
  serviceType: string;
  /** Content of short_message, including the user data header if there is one. */
  octets: Buffer;
  tlvs: ReadonlyMap<number, Buffer>;
}

/** Parses the raw octets, because the npm package `smpp` would decode the text. */
export function readSubmit(session: ServerSession, octets: Buffer): Submit {
  let offset = 16;
  const readOctet = () => octets.readUInt8(offset++);
  const readCString = () => {
    const end = octets.indexOf(0, offset);
    const text = octets.toString('latin1', offset, end);
    offset = end + 1;
    return text;
  };
  const readAddress = () => ({ ton: readOctet(), npi: readOctet(), address: readCString() });
  const serviceType = readCString();
  const source = readAddress();
  const destination = readAddress();
  const esmClass = readOctet();
  readOctet();
  readOctet();
  readCString();
  const validityPeriod = readCString();
  const registeredDelivery = readOctet();
  readOctet();
  const dataCoding = readOctet();
  readOctet();
  const length = readOctet();
  const message = octets.subarray(offset, offset + length);
  offset += length;
  const tlvs = new Map<number, Buffer>();
  while (offset < octets.length) {
    const end = offset + 4 + octets.readUInt16BE(offset + 2);
    tlvs.set(octets.readUInt16BE(offset), octets.subarray(offset + 4, end));
    offset = end;
  }
  return {
    id: '',
    session,
    sequence: octets.readUInt32BE(12),
    source,
    destination,
    esmClass,
    registeredDelivery,
    dataCoding,
    validityPeriod,
    serviceType,
    octets: message,
    tlvs,
  };
}
