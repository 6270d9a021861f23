import type { AccountRef } from '../../accounts/account-ref.js';
import { invalidFields, quote } from '../../platform/errors/field-problems.js';
import { type PhoneValidation, parsePhoneNumber } from '../../platform/text/phone-numbers.js';
import { mapInTurns } from '../../platform/turns.js';
import { type NotesBody, readNotes } from './notes.js';
import type { IdempotencyKey, Recipient, SendRequest } from './send-request.js';

/** Most recipients of one request. */
export const MAX_RECIPIENTS = 10_000;
/** How many bad numbers an error names. */
const NAMED_NUMBERS = 5;
/** Priority of an SMS of v1.0, which has no such field: the default of v2. */
const PRIORITY = 0;

/** The body of `POST /v1.0/sms/send`, as its schema has checked it. */
export interface SmsBody extends NotesBody {
  from: string;
  /** One number, or several separated by commas. */
  to: string;
  message: string;
}

export interface SmsContext {
  account: AccountRef;
  /** Name of the carrier that SMS go to. */
  carrier: string;
  idempotencyKey: IdempotencyKey | null;
  phoneValidation: PhoneValidation;
}

/**
 * Makes a send of an SMS request: all of its recipients, or none.
 * @throws {AppError} INVALID_REQUEST that names the bad numbers
 */
export async function composeSms(body: SmsBody, context: SmsContext): Promise<SendRequest> {
  return {
    account: context.account,
    surface: 'a',
    kind: 'sms',
    sender: body.from,
    recipients: await parsePhoneNumberList(body.to, context.phoneValidation),
    body: body.message,
    content: null,
    priority: PRIORITY,
    channelId: null,
    carrier: context.carrier,
    notes: readNotes(body),
    idempotencyKey: context.idempotencyKey,
  };
}

/**
 * Reads numbers that are separated by commas. The same number twice makes two recipients, in order; nothing between
 * two commas is a bad number.
 * @throws {AppError} INVALID_REQUEST on the field `to`
 */
export async function parsePhoneNumberList(to: string, validation: PhoneValidation): Promise<Recipient[]> {
  const entries = to.split(',', MAX_RECIPIENTS + 1);
  if (entries.length > MAX_RECIPIENTS) {
    throw invalidFields([{ field: 'to', rule: `must not hold more than ${MAX_RECIPIENTS} numbers` }]);
  }
  const recipients: Recipient[] = [];
  const bad: string[] = [];
  await mapInTurns(entries, (entry) => {
    const recipient = parsePhoneNumber(entry, validation);
    if (recipient) recipients.push(recipient);
    else bad.push(entry.trim());
  });
  if (bad.length > 0) throw invalidFields([{ field: 'to', rule: badNumbersRule(bad) }]);
  return recipients;
}

function badNumbersRule(bad: readonly string[]): string {
  const named = bad.slice(0, NAMED_NUMBERS).map(quote).join(', ');
  const rest = bad.length > NAMED_NUMBERS ? ` and ${bad.length - NAMED_NUMBERS} more` : '';
  const what = bad.length === 1 ? 'an invalid phone number' : 'invalid phone numbers';
  return `holds ${what}: ${named}${rest} (a number has 7 to 15 digits and begins with an assigned country calling code)`;
}
