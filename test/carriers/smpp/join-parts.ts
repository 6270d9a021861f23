import smpp from 'smpp';
import type { Submit } from './received-submit.js';

const UDH_INDICATOR = 0x40;
const SAR_REFERENCE = 0x020c;
const SAR_TOTAL = 0x020e;
const SAR_SEQUENCE = 0x020f;
const MESSAGE_PAYLOAD = 0x0424;

/** Returns the joined messages in the order in which their last parts arrived. */
export function joinParts(submits: readonly Submit[]): { to: string; text: string }[] {
  const messages: { to: string; text: string }[] = [];
  const incompleteMessages = new Map<string, string[]>();
  for (const submit of submits) {
    if (!submit.id) continue;
    const to = submit.destination.address;
    const position = readPosition(submit);
    if (!position) {
      messages.push({ to, text: decode(submit, submit.tlvs.get(MESSAGE_PAYLOAD) ?? submit.octets) });
      continue;
    }
    const key = `${to} ${position.reference} ${position.total}`;
    const parts = incompleteMessages.get(key) ?? [];
    incompleteMessages.set(key, parts);
    parts[position.part - 1] = decode(submit, position.octets);
    if (Object.keys(parts).length < position.total) continue;
    incompleteMessages.delete(key);
    messages.push({ to, text: parts.join('') });
  }
  return messages;
}

function readPosition({ esmClass, octets, tlvs }: Submit) {
  if (esmClass & UDH_INDICATOR) {
    const [, , , reference, total, part] = octets as unknown as number[];
    return { reference, total: total as number, part: part as number, octets: octets.subarray(6) };
  }
  const reference = tlvs.get(SAR_REFERENCE)?.readUInt16BE(0);
  if (reference === undefined) return null;
  const total = tlvs.get(SAR_TOTAL)?.[0] as number;
  return { reference, total, part: tlvs.get(SAR_SEQUENCE)?.[0] as number, octets };
}

function decode({ dataCoding }: Submit, octets: Buffer): string {
  return dataCoding === 8 ? smpp.encodings.UCS2.decode(octets) : smpp.encodings.ASCII.decode(octets);
}
