import type { Static } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import type { Acceptance } from '../../messages/compose/send-request.js';
import { noted } from './endpoints/notes-schemas.js';
import type { SentEntry, SmsSendAnswer } from './endpoints/v1-schemas.js';
import type { SendV2Answer } from './endpoints/v2-schemas.js';
import { type Answering, destinationOf, isLong, sendLong } from './long-answer.js';

function entries(from: string, { messages, body, acceptedAt, notes }: Acceptance) {
  const timestamp = acceptedAt.toISOString();
  return messages.map(({ id, recipient, parts }) => ({
    message_id: id,
    message_count: parts,
    from,
    ...destinationOf(recipient),
    message: body,
    timestamp,
    ...noted(notes),
  }));
}

/**
 * One destination is told at the top as well as in `data`, so that clients of either form work.
 * @param from as the request wrote it, of a repetition too: that has the same body
 */
export function answerV1(
  answering: Answering,
  from: string,
  acceptance: Acceptance,
): Static<typeof SmsSendAnswer> | FastifyReply {
  const status = 'success' as const;
  const several = acceptance.messages.length !== 1;
  if (several && isLong(acceptance)) return sendLong(answering, { status }, from, acceptance);
  // An SMS goes to numbers alone.
  const data = entries(from, acceptance) as Static<typeof SentEntry>[];
  const [only] = data;
  if (several || !only) return { status, data };
  const { message_id, to, message, timestamp } = only;
  return { status, message_id, from, to, message, timestamp, ...noted(acceptance.notes), data };
}

/** Word for word what the original service answers; its clients compare it. */
const SENT_TO_ONE = 'Message sent successfully';

/**
 * @param from as the request wrote it: a WhatsApp message may leave from another number, which its status tells
 */
export function answerV2(
  answering: Answering,
  from: string,
  acceptance: Acceptance,
): Static<typeof SendV2Answer> | FastifyReply {
  const count = acceptance.messages.length;
  const head = {
    status: 'success' as const,
    message: count === 1 ? SENT_TO_ONE : `${count} messages accepted`,
    code: 200,
  };
  return isLong(acceptance)
    ? sendLong(answering, head, from, acceptance)
    : { ...head, data: entries(from, acceptance) };
}
