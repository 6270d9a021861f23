import type { Static } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import type { Acceptance } from '../../messages/compose/send-request.js';
import { writePhoneNumber } from '../../platform/text/phone-numbers.js';
import { isLong, sendLong } from './long-answer.js';
import { noted } from './schemas-notes.js';
import type { SentEntry, SmsSendAnswer } from './schemas-v1.js';
import type { SendV2Answer } from './schemas-v2.js';

function entries({ messages, sender, body, acceptedAt, notes }: Acceptance): Static<typeof SentEntry>[] {
  const timestamp = acceptedAt.toISOString();
  return messages.map(({ id, recipient, parts }) => ({
    message_id: id,
    message_count: parts,
    from: sender,
    to: writePhoneNumber(recipient),
    message: body,
    timestamp,
    ...noted(notes),
  }));
}

/** One destination is told at the top as well as in `data`, so that clients of either form work. */
export function answerV1(reply: FastifyReply, acceptance: Acceptance): Static<typeof SmsSendAnswer> | FastifyReply {
  const status = 'success' as const;
  const several = acceptance.messages.length !== 1;
  if (several && isLong(acceptance)) return sendLong(reply, { status }, acceptance);
  const data = entries(acceptance);
  const [only] = data;
  if (several || !only) return { status, data };
  const { message_id, from, to, message, timestamp } = only;
  return { status, message_id, from, to, message, timestamp, ...noted(acceptance.notes), data };
}

export function answerV2(reply: FastifyReply, acceptance: Acceptance): Static<typeof SendV2Answer> | FastifyReply {
  const count = acceptance.messages.length;
  const head = {
    status: 'success' as const,
    message: count === 1 ? '1 message accepted' : `${count} messages accepted`,
    code: 200,
  };
  return isLong(acceptance) ? sendLong(reply, head, acceptance) : { ...head, data: entries(acceptance) };
}
