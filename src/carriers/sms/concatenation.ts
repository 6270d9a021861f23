import type { Concatenation } from '../inbound-message.js';

/** References have 16 bits (3GPP TS 23.040 §9.2.3.24.8). */
const REFERENCE_COUNT = 0x1_0000;
const MAX_PARTS = 255;

/**
 * Returns null if the part numbers are invalid, in which case the message counts as complete (§9.2.3.24.1). The
 * reference is reduced to 16 bits, because some carriers use wider reference fields than an SMS.
 */
export function validateConcatenation({ reference, total, part }: Concatenation): Concatenation | null {
  const isMultipart = [reference, total, part].every(Number.isInteger) && total > 1 && total <= MAX_PARTS;
  if (!isMultipart || part < 1 || part > total) return null;
  return { reference: ((reference % REFERENCE_COUNT) + REFERENCE_COUNT) % REFERENCE_COUNT, total, part };
}
