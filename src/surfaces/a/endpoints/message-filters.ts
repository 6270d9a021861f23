import { type Static, Type } from '@sinclair/typebox';
import { isUserId } from '../../../carriers/numbers/user-ids.js';
import { MAX_REFERENCE_LENGTH } from '../../../messages/compose/notes.js';
import { MESSAGE_STATUSES } from '../../../messages/message-status.js';
import type { MessageFilter } from '../../../messages/search/list-store.js';
import type { FieldProblem } from '../../../platform/errors/app-error.js';
import { invalidFields, isLongerThan, parseChoice } from '../../../platform/errors/field-problems.js';
import { parseFilterTime } from '../../../platform/timestamps.js';

/** Maximum length of a number (ITU-T E.164 §6). */
const MAX_DIGITS = 15;
const REFERENCE_RULE = `must be a string of at most ${MAX_REFERENCE_LENGTH} characters`;

/** An empty value counts as absent. */
export const filterText = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));
export const CHANNELS = ['sms', 'whatsapp'] as const;

export const MESSAGE_FILTERS = {
  to: filterText(
    'The recipient: a phone number (only its digits count), or the user ID of a person without a number.',
    '15005550111',
  ),
  from: filterText(
    'The sender: for SMS exactly as in the request, for WhatsApp the number of the channel.',
    'Heliograph',
  ),
  status: filterText(`One of ${MESSAGE_STATUSES.join(', ')}, in upper or lower case.`, 'delivered'),
  channel: filterText('`sms` or `whatsapp`.', 'sms'),
  created_from: filterText('Accepted at or after this time: ISO 8601 with a time zone.', '2026-11-21T00:00:00Z'),
  created_to: filterText('Accepted before this time.', '2026-11-22T00:00:00Z'),
  reference: filterText('The reference exactly as sent.', 'order-4711'),
};

const Filters = Type.Object(MESSAGE_FILTERS);

export function readMessageFilter(query: Static<typeof Filters>, accountId: string): MessageFilter {
  const problems: FieldProblem[] = [];
  const filter = {
    accountId,
    surface: 'a' as const,
    recipient: query.to && isUserId(query.to) ? query.to : readNumber('to', query.to, problems),
    recipientStart: null,
    recipientEnd: null,
    sender: query.from || null,
    status: parseChoice('status', query.status?.toLowerCase(), MESSAGE_STATUSES, problems),
    kind: parseChoice('channel', query.channel?.toLowerCase(), CHANNELS, problems),
    channelId: null,
    carrier: null,
    createdFrom: parseFilterTime('created_from', query.created_from, problems),
    createdTo: parseFilterTime('created_to', query.created_to, problems),
    reference: readReference(query.reference, problems),
  };
  if (problems.length > 0) throw invalidFields(problems);
  return filter;
}

/** Returns only the digits, and adds a problem if the value is not a phone number. */
export function readNumber(field: string, value: string | undefined, problems: FieldProblem[]): string | null {
  if (!value) return null;
  const digits = value.replace(/\D/g, '');
  const isNumber = /^[\s\d+().\-/]*$/.test(value) && digits !== '' && digits.length <= MAX_DIGITS;
  if (!isNumber) problems.push({ field, rule: `must be a phone number of 1 to ${MAX_DIGITS} digits` });
  return digits;
}

function readReference(value: string | undefined, problems: FieldProblem[]): string | null {
  if (!value) return null;
  if (isLongerThan(value, MAX_REFERENCE_LENGTH)) problems.push({ field: 'reference', rule: REFERENCE_RULE });
  return value;
}
