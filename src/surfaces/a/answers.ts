import type { Static } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import type { Acceptance } from '../../messages/compose/send-request.js';
import { noted } from './endpoints/notes-schemas.js';
import type { SentEntry, SmsSendAnswer } from './endpoints/v1-schemas.js';
import type { SendV2Answer } from './endpoints/v2-schemas.js';
import { type Answering, isLong, sendLong, type Written, writtenDestination } from './long-answer.js';

function entries(written: Written, { messages, body, acceptedAt, notes }: Acceptance) {
  const timestamp = acceptedAt.toISOString();
  return messages.map(({ id, recipient, parts }, index) => ({
    message_id: id,
    message_count: parts,
    from: written.from,
    ...writtenDestination(written, recipient, index),
    message: body,
    timestamp,
    ...noted(notes),
  }));
}

/** A single destination is shown at the top level as well as in `data`, so that clients of either form work. */
export function answerV1(
  answering: Answering,
  written: Written,
  acceptance: Acceptance,
): Static<typeof SmsSendAnswer> | FastifyReply {
  const status = 'success' as const;
  const several = acceptance.messages.length !== 1;
  if (several && isLong(acceptance)) return sendLong(answering, { status }, written, acceptance);
  // An SMS goes to numbers alone.
  const data = entries(written, acceptance) as Static<typeof SentEntry>[];
  const [only] = data;
  if (several || !only) return { status, data };
  const { message_id, from, to, message, timestamp } = only;
  return { status, message_id, from, to, message, timestamp, ...noted(acceptance.notes), data };
}

/** Word for word what the original service answers; its clients compare it. */
const SENT_TO_ONE = 'Message sent successfully';

export function answerV2(
  answering: Answering,
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
    ? sendLong(answering, head, written, acceptance)
    : { ...head, data: entries(written, acceptance) };
}
