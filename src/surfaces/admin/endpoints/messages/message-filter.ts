import { isUserId } from '../../../../carriers/numbers/user-ids.js';
import { extractDigits } from '../../../../carriers/numbers/written-numbers.js';
import { MESSAGE_STATUSES } from '../../../../messages/message-status.js';
import type { MessageFilter } from '../../../../messages/search/list-store.js';
import type { FieldProblem } from '../../../../platform/errors/app-error.js';
import { invalidFields, parseChoice } from '../../../../platform/errors/field-problems.js';
import { isUuid } from '../../../../platform/ids.js';
import { parseFilterTime } from '../../../../platform/timestamps.js';
import type { MESSAGE_FILTERS } from '../../contract/messages/messages-schemas.js';

type Query = Partial<Record<keyof typeof MESSAGE_FILTERS, string>>;

/** ITU-T E.164 §6. */
const NUMBER = /^\d{1,15}$/;
const NUMBER_RULE = 'must be a phone number of up to 15 digits, or its start or end with an asterisk: 4479* or *0123';

export function readMessageFilter(query: Query, accountId: string): MessageFilter {
  const problems: FieldProblem[] = [];
  const filter: MessageFilter = {
    accountId,
    surface: null,
    ...readNumber(query.to, problems),
    sender: null,
    status: parseChoice('status', query.status, MESSAGE_STATUSES, problems),
    kind: parseChoice('kind', query.kind, ['sms', 'whatsapp'] as const, problems),
    channelId: readId(query.channelId, problems),
    carrier: query.carrier || null,
    createdFrom: parseFilterTime('createdFrom', query.createdFrom, problems),
    createdTo: parseFilterTime('createdTo', query.createdTo, problems),
    reference: query.reference || null,
  };
  if (problems.length > 0) throw invalidFields(problems);
  return filter;
}

function readNumber(
  value: string | undefined,
  problems: FieldProblem[],
): Pick<MessageFilter, 'recipient' | 'recipientStart' | 'recipientEnd'> {
  const anyRecipient = { recipient: null, recipientStart: null, recipientEnd: null };
  if (value && isUserId(value)) return { ...anyRecipient, recipient: value };
  const pattern = (value?.startsWith('+') && extractDigits(value)) || value?.replace(/[\s+().\-/]/g, '');
  if (!pattern) {
    if (value) problems.push({ field: 'to', rule: NUMBER_RULE });
    return anyRecipient;
  }
  const digits = pattern.replace(/^\*|\*$/, '');
  if (!NUMBER.test(digits)) problems.push({ field: 'to', rule: NUMBER_RULE });
  if (pattern.startsWith('*')) return { ...anyRecipient, recipientEnd: digits };
  if (pattern.endsWith('*')) return { ...anyRecipient, recipientStart: digits };
  return { ...anyRecipient, recipient: digits };
}

/** The ID of another account's channel matches no messages, but a malformed ID is refused. */
function readId(value: string | undefined, problems: FieldProblem[]): string | null {
  if (!value) return null;
  if (!isUuid(value)) problems.push({ field: 'channelId', rule: 'must be the id of a channel' });
  return value;
}
