import type { Static } from '@sinclair/typebox';
import type { Acceptance } from '../../messages/compose/send-request.js';
import { writePhoneNumber } from '../../platform/text/phone-numbers.js';
import type { SentEntry, SmsSendAnswer } from './schemas-v1.js';
import type { SendV2Answer } from './schemas-v2.js';

function entries({ messages, sender, body, acceptedAt }: Acceptance): Static<typeof SentEntry>[] {
  const timestamp = acceptedAt.toISOString();
  return messages.map(({ id, recipient, parts }) => ({
    message_id: id,
    message_count: parts,
    from: sender,
    to: writePhoneNumber(recipient),
    message: body,
    timestamp,
  }));
}

/** One destination is told at the top as well as in `data`, so that clients of either form work. */
export function answerV1(acceptance: Acceptance): Static<typeof SmsSendAnswer> {
  const data = entries(acceptance);
  const [only] = data;
  if (data.length !== 1 || !only) return { status: 'success', data };
  const { message_id, from, to, message, timestamp } = only;
  return { status: 'success', message_id, from, to, message, timestamp, data };
}

export function answerV2(acceptance: Acceptance): Static<typeof SendV2Answer> {
  const data = entries(acceptance);
  return {
    status: 'success',
    message: data.length === 1 ? '1 message accepted' : `${data.length} messages accepted`,
    code: 200,
    data,
  };
}
