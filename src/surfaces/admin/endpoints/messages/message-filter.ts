import { isUserId } from '../../../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../../../carriers/numbers/written-numbers.js';
import { MESSAGE_STATUSES } from '../../../../messages/message-status.js';
import type { MessageFilter } from '../../../../messages/search/list-store.js';
import type { FieldProblem } from '../../../../platform/errors/app-error.js';
import { invalidFields, oneOf } from '../../../../platform/errors/field-problems.js';
import { isUuid } from '../../../../platform/ids.js';
import { readTime } from '../../../../platform/timestamps.js';
import type { MESSAGE_FILTERS } from '../../contract/messages/messages-schemas.js';

type Query = Partial<Record<keyof typeof MESSAGE_FILTERS, string>>;

/** Longest number (ITU-T E.164 §6). */
const NUMBER = /^\d{1,15}$/;
const NUMBER_RULE = 'must be a phone number of up to 15 digits; a star stands for the rest: 4479* or *0123';

/** @throws {AppError} INVALID_REQUEST with every filter that cannot be read */
export function messageFilter(query: Query, accountId: string): MessageFilter {
  const problems: FieldProblem[] = [];
  const filter: MessageFilter = {
    accountId,
    surface: null,
    ...readNumber(query.to, problems),
    sender: null,
    status: oneOf('status', query.status, MESSAGE_STATUSES, problems),
    kind: oneOf('kind', query.kind, ['sms', 'whatsapp'] as const, problems),
    channelId: readId(query.channelId, problems),
    carrier: query.carrier || null,
    createdFrom: readTime('createdFrom', query.createdFrom, problems),
    createdTo: readTime('createdTo', query.createdTo, problems),
    reference: query.reference || null,
  };
  if (problems.length > 0) throw invalidFields(problems);
  return filter;
}

function readNumber(
  value: string | undefined,
  problems: FieldProblem[],
): Pick<MessageFilter, 'recipient' | 'recipientStart' | 'recipientEnd'> {
  const none = { recipient: null, recipientStart: null, recipientEnd: null };
  if (value && isUserId(value)) return { ...none, recipient: value };
  const written = (value?.startsWith('+') && extractDigits(value)) || value?.replace(/[\s+().\-/]/g, '');
  if (!written) {
    if (value) problems.push({ field: 'to', rule: NUMBER_RULE });
    return none;
  }
  const digits = written.replace(/^\*|\*$/, '');
  if (!NUMBER.test(digits)) problems.push({ field: 'to', rule: NUMBER_RULE });
  if (written.startsWith('*')) return { ...none, recipientEnd: digits };
  if (written.endsWith('*')) return { ...none, recipientStart: digits };
  return { ...none, recipient: digits };
}

/** A channel that is none of ours has no messages; what is no id at all is refused. */
function readId(value: string | undefined, problems: FieldProblem[]): string | null {
  if (!value) return null;
  if (!isUuid(value)) problems.push({ field: 'channelId', rule: 'must be the id of a channel' });
  return value;
}
