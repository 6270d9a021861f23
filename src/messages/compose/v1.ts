import type { AccountRef } from '../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { isSenderId, SENDER_ID_RULE } from '../../accounts/sender-ids.js';
import { type PhoneValidation, parsePhoneNumber, suggestDigits } from '../../carriers/numbers/phone-numbers.js';
import { parseWrittenNumber } from '../../carriers/numbers/written-numbers.js';
import type { FieldProblem } from '../../platform/errors/app-error.js';
import { invalidFields, quote } from '../../platform/errors/field-problems.js';
import type { Turns } from '../../platform/turns.js';
import { type NotesBody, readNotes } from './notes.js';
import { decidePurpose, type Purpose } from './purpose.js';
import { planSchedule } from './schedule.js';
import type { Recipient, SendRequest } from './send-request.js';

export const MAX_RECIPIENTS = 10_000;
const MAX_LISTED_NUMBERS = 5;
/** Validated by the schema. */
export interface SmsBody extends NotesBody {
  from: string;
  to: string;
  message: string;
  /** Priority from 0 (lowest) to 3 (highest). */
  priority?: number;
  scheduled_at?: string;
  /** Validity in seconds. */
  validity_period?: number;
  purpose?: Purpose;
  /** A fallback is always an error, because an SMS cannot have one. */
  fallback?: unknown;
}

export interface SmsContext {
  account: AccountRef;
  carrier: string;
  idempotencyKey: IdempotencyKey | null;
  phoneValidation: PhoneValidation;
  /** ISO code of the country; without a default country, all numbers need their country code. */
  defaultCountry?: string | null;
  now: Date;
  turns: Turns;
}

export async function composeSms(body: SmsBody, context: SmsContext): Promise<SendRequest> {
  const problems: FieldProblem[] = [];
  if (!isSenderId(body.from)) problems.push({ field: 'from', rule: SENDER_ID_RULE });
  const recipients = await readNumbers(body.to, context, problems);
  const scheduledAt = planSchedule(body.scheduled_at, context.now, problems);
  if (body.fallback !== undefined) problems.push({ field: 'fallback', rule: 'must not be sent with an SMS' });
  if (problems.length > 0) throw invalidFields(problems);
  const purpose = decidePurpose(body.purpose, null);
  return {
    account: context.account,
    surface: 'a',
    kind: 'sms',
    sender: body.from,
    recipients,
    body: body.message,
    content: null,
    priority: body.priority ?? 0,
    channelId: null,
    carrier: context.carrier,
    scheduledAt,
    validitySeconds: body.validity_period,
    notes: readNotes(body),
    purpose,
    idempotencyKey: context.idempotencyKey,
  };
}

async function readNumbers(
  to: string,
  { phoneValidation: validation, defaultCountry, turns }: SmsContext,
  problems: FieldProblem[],
): Promise<Recipient[]> {
  const entries = to.split(',', MAX_RECIPIENTS + 1);
  if (entries.length > MAX_RECIPIENTS) {
    problems.push({ field: 'to', rule: `must not have more than ${MAX_RECIPIENTS} numbers` });
    return [];
  }
  const recipients: Recipient[] = [];
  const badNumbers: BadNumber[] = [];
  await turns.map(entries, (entry, index) => {
    const recipient = defaultCountry
      ? parseWrittenNumber(entry, defaultCountry, 'sms')
      : parsePhoneNumber(entry, validation);
    if (recipient) recipients.push(recipient);
    else badNumbers.push({ text: entry.trim(), position: index + 1 });
  });
  if (badNumbers.length > 0)
    problems.push({ field: 'to', rule: describeBadNumbers(badNumbers, entries.length, validation) });
  return recipients;
}

interface BadNumber {
  text: string;
  /** Position among the entries of the request, counted from 1. */
  position: number;
}

function describeBadNumbers(badNumbers: readonly BadNumber[], entries: number, validation: PhoneValidation): string {
  const describe = ({ text, position }: BadNumber) => {
    const digits = suggestDigits(text, validation);
    return quote(text) + (entries > 1 ? ` at position ${position}` : '') + (digits === null ? '' : `: write ${digits}`);
  };
  const listed = badNumbers.slice(0, MAX_LISTED_NUMBERS).map(describe).join(', ');
  const remainder = badNumbers.length > MAX_LISTED_NUMBERS ? ` and ${badNumbers.length - MAX_LISTED_NUMBERS} more` : '';
  const subject = badNumbers.length === 1 ? 'an invalid phone number' : 'invalid phone numbers';
  return `has ${subject}: ${listed}${remainder} (a number has ${describeRule(badNumbers)})`;
}

function describeRule(badNumbers: readonly BadNumber[]): string {
  const impossible = badNumbers.filter(({ text }) => parsePhoneNumber(text, 'calling-code'));
  const length = 'a length that is possible for its country calling code';
  if (impossible.length === badNumbers.length) return length;
  const rule = '7 to 15 digits and begins with an assigned country calling code';
  return impossible.length === 0 ? rule : `${rule}, and ${length}`;
}
