import { CarrierError } from '../../carrier-error.js';
import { phoneIn } from '../../numbers/user-ids.js';
import type { GraphAnswer } from './graph-client.js';

/** Meta's id of a message that it took. A success that names none may stand for one that was taken. */
export function messageIdOf({ body, status }: GraphAnswer): string {
  const [first] = listOf<{ id?: unknown }>(body?.messages);
  if (typeof first?.id === 'string' && first.id !== '') return first.id;
  throw CarrierError.answerLost(`The answer (HTTP status ${status}) names no message.`, { code: 'BAD_ANSWER' });
}

/**
 * The number by which Meta knows who was sent to, where it is another: in Mexico, Brazil and Argentina a mobile number may have
 * a digit more or less (`wa_id`). Null where it is the same, and of somebody who was sent to by an id.
 */
export function otherNumberOf({ body }: GraphAnswer, sentTo: string): string | null {
  const [first] = listOf<{ wa_id?: unknown }>(body?.contacts);
  const known = first?.wa_id;
  if (typeof known !== 'string' || known === sentTo || phoneIn(sentTo) === null) return null;
  return /^\d{5,15}$/.test(known) ? known : null;
}

function listOf<T>(value: unknown): readonly (T | null | undefined)[] {
  return Array.isArray(value) ? (value as (T | null)[]) : [];
}
