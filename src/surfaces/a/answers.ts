import type { Static } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import type { Acceptance } from '../../messages/compose/send-request.js';
import { presentNotes } from './endpoints/notes-schemas.js';
import type { SentEntry, SmsSendAnswer } from './endpoints/v1-schemas.js';
import type { SendV2Answer } from './endpoints/v2-schemas.js';
import { type AnswerTarget, isLong, sendLong, type Written, writtenDestination } from './long-answer.js';

function entries(written: Written, { messages, body, acceptedAt, notes }: Acceptance) {
  const timestamp = acceptedAt.toISOString();
  return messages.map(({ id, recipient, parts }, index) => ({
    message_id: id,
    message_count: parts,
    from: written.from,
    ...writtenDestination(written, recipient, index),
    message: body,
    timestamp,
    ...presentNotes(notes),
  }));
}

/** With one destination, its fields appear at the top level and in `data`, because the contract shows both forms. */
export function answerV1(
  target: AnswerTarget,
  written: Written,
  acceptance: Acceptance,
): Static<typeof SmsSendAnswer> | FastifyReply {
  const status = 'success' as const;
  const isMultiple = acceptance.messages.length !== 1;
  if (isMultiple && isLong(acceptance)) return sendLong(target, { status }, written, acceptance);
  // SMS always have a number, so `to` is never null.
  const data = entries(written, acceptance) as Static<typeof SentEntry>[];
  const [only] = data;
  if (isMultiple || !only) return { status, data };
  const { message_id, from, to, message, timestamp } = only;
  return { status, message_id, from, to, message, timestamp, ...presentNotes(acceptance.notes), data };
}

/** Clients compare this text of the original service. */
const SENT_TO_ONE = 'Message sent successfully';

export function answerV2(
  target: AnswerTarget,
  written: Written,
  acceptance: Acceptance,
): Static<typeof SendV2Answer> | FastifyReply {
  const count = acceptance.messages.length;
  const head = {
    status: 'success' as const,
    message: count === 1 ? SENT_TO_ONE : `${count} messages accepted`,
    code: 200,
  };
  return isLong(acceptance)
    ? sendLong(target, head, written, acceptance)
    : { ...head, data: entries(written, acceptance) };
}
