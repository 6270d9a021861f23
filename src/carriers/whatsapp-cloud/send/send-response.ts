import { CarrierError } from '../../carrier-error.js';
import { extractPhone } from '../../numbers/user-ids.js';
import type { GraphAnswer } from './graph-client.js';

/** Throws a CarrierError with `answerLost` for a successful response without a message ID. */
export function readMessageId({ body, status }: GraphAnswer): string {
  const [first] = asList<{ id?: unknown }>(body?.messages);
  if (typeof first?.id === 'string' && first.id !== '') return first.id;
  throw CarrierError.answerLost(`The response (HTTP status ${status}) contains no message ID.`, { code: 'BAD_ANSWER' });
}

/**
 * Returns `wa_id` if it differs from the recipient, because in Mexico, Brazil and Argentina a mobile number can have one digit
 * more or less. If the recipient is a user ID, the result is null.
 */
export function readDifferentNumber({ body }: GraphAnswer, recipient: string): string | null {
  const [first] = asList<{ wa_id?: unknown }>(body?.contacts);
  const metaNumber = first?.wa_id;
  if (typeof metaNumber !== 'string' || metaNumber === recipient || extractPhone(recipient) === null) return null;
  return /^\d{5,15}$/.test(metaNumber) ? metaNumber : null;
}

function asList<T>(value: unknown): readonly (T | null | undefined)[] {
  return Array.isArray(value) ? (value as (T | null)[]) : [];
}
