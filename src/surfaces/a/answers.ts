import type { Static } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import type { Acceptance } from '../../messages/compose/send-request.js';
import { presentNotes } from './endpoints/notes-schemas.js';
import type { SentEntry, SmsSendAnswer } from './endpoints/v1-schemas.js';
import type { SendV2Answer } from './endpoints/v2-schemas.js';
import { type AnswerTarget, isLong, type RequestedAddresses, sendLong, toRequestedDestination } from './long-answer.js';

function toEntries(addresses: RequestedAddresses, { messages, body, acceptedAt, notes }: Acceptance) {
  const timestamp = acceptedAt.toISOString();
  return messages.map(({ id, recipient, parts }, index) => ({
    message_id: id,
    message_count: parts,
    from: addresses.from,
    ...toRequestedDestination(addresses, recipient, index),
    message: body,
    timestamp,
    ...presentNotes(notes),
  }));
}

/**
 * In a response about one recipient, the fields appear both at the top level and in `data`, because the contract shows both
 * forms.
 */
export function answerV1(
  target: AnswerTarget,
  addresses: RequestedAddresses,
  acceptance: Acceptance,
): Static<typeof SmsSendAnswer> | FastifyReply {
  const status = 'success' as const;
  const isMultiple = acceptance.messages.length !== 1;
  if (isMultiple && isLong(acceptance)) return sendLong(target, { status }, addresses, acceptance);
  // `to` is never null, because the recipient of an SMS always has a number.
  const data = toEntries(addresses, acceptance) as Static<typeof SentEntry>[];
  const [single] = data;
  if (isMultiple || !single) return { status, data };
  const { message_id, from, to, message, timestamp } = single;
  return { status, message_id, from, to, message, timestamp, ...presentNotes(acceptance.notes), data };
}

/** Must equal the original service's text, because some clients compare it. */
const SINGLE_RECIPIENT_MESSAGE = 'Message sent successfully';

export function answerV2(
  target: AnswerTarget,
  addresses: RequestedAddresses,
  acceptance: Acceptance,
): Static<typeof SendV2Answer> | FastifyReply {
  const count = acceptance.messages.length;
  const head = {
    status: 'success' as const,
    message: count === 1 ? SINGLE_RECIPIENT_MESSAGE : `${count} messages accepted`,
    code: 200,
  };
  return isLong(acceptance)
    ? sendLong(target, head, addresses, acceptance)
    : { ...head, data: toEntries(addresses, acceptance) };
}
