import smpp from 'smpp';
import type { Submit } from './received-submit.js';

const UDH_INDICATOR = 0x40;
const SAR_REFERENCE = 0x020c;
const SAR_TOTAL = 0x020e;
const SAR_SEQUENCE = 0x020f;
const MESSAGE_PAYLOAD = 0x0424;

/** Submits that an SMSC took, put together as a telephone does, in the order in which they were complete. */
export function arrivalsOf(submits: readonly Submit[]): { to: string; text: string }[] {
  const arrivals: { to: string; text: string }[] = [];
  const open = new Map<string, string[]>();
  for (const submit of submits) {
    if (!submit.id) continue;
    const to = submit.destination.address;
    const place = placeOf(submit);
    if (!place) {
      arrivals.push({ to, text: textOf(submit, submit.tlvs.get(MESSAGE_PAYLOAD) ?? submit.octets) });
      continue;
    }
    const key = `${to} ${place.reference} ${place.total}`;
    const parts = open.get(key) ?? [];
    open.set(key, parts);
    parts[place.part - 1] = textOf(submit, place.octets);
    if (Object.keys(parts).length < place.total) continue;
    open.delete(key);
    arrivals.push({ to, text: parts.join('') });
  }
  return arrivals;
}

function placeOf({ esmClass, octets, tlvs }: Submit) {
  if (esmClass & UDH_INDICATOR) {
    const [, , , reference, total, part] = octets as unknown as number[];
    return { reference, total: total as number, part: part as number, octets: octets.subarray(6) };
  }
  const reference = tlvs.get(SAR_REFERENCE)?.readUInt16BE(0);
  if (reference === undefined) return null;
  const total = tlvs.get(SAR_TOTAL)?.[0] as number;
  return { reference, total, part: tlvs.get(SAR_SEQUENCE)?.[0] as number, octets };
}

function textOf({ dataCoding }: Submit, octets: Buffer): string {
  return dataCoding === 8 ? smpp.encodings.UCS2.decode(octets) : smpp.encodings.ASCII.decode(octets);
}
