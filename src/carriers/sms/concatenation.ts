import type { Concatenation } from '../inbound-message.js';

/** Of a reference: an SMS has two octets for it (3GPP TS 23.040 §9.2.3.24.8). */
const REFERENCES = 0x1_0000;
const MOST_PARTS = 255;

/**
 * Which part of a longer SMS a carrier says that a message is; null for numbers that make no sense, which are as if there were
 * none (§9.2.3.24.1). Carriers tell them in wider fields than an SMS has: of a reference what an SMS holds is kept.
 */
export function concatenationOf({ reference, total, part }: Concatenation): Concatenation | null {
  const isOne = [reference, total, part].every(Number.isInteger) && total > 1 && total <= MOST_PARTS;
  if (!isOne || part < 1 || part > total) return null;
  return { reference: ((reference % REFERENCES) + REFERENCES) % REFERENCES, total, part };
}
