import type { InboundReport } from '../../inbound-message.js';
import { isParentUserId, isUserId } from '../../numbers/user-ids.js';

/** An object of a callback. Whatever is missing or of another form is left out. */
export type Json = Readonly<Record<string, unknown>>;

/** Who wrote a message. */
export type Sender = Pick<InboundReport, 'from' | 'userId' | 'parentUserId' | 'username' | 'profileName'>;

/**
 * Who wrote a message, by any of the places in which Meta names a person; `from` and `wa_id` may hold an id too. Null
 * where none of them is there.
 */
export function readSender(message: Json, contacts: readonly Json[]): Sender | null {
  // A contact may come without `wa_id`, and a sender without a number; where there is one contact, it is the sender.
  const only = contacts.length === 1 ? contacts[0] : undefined;
  const from = digitsOf(message.from);
  const ids = [message.from_user_id, message.from, message.from_parent_user_id];
  const isNamed = (...values: readonly unknown[]) => values.some((each) => isText(each) && ids.includes(each));
  const isOfParent = ({ parent_user_id }: Json) => isNamed(parent_user_id);
  const named =
    contacts.find(({ wa_id, user_id }) => (from !== null && digitsOf(wa_id) === from) || isNamed(user_id, wa_id)) ?? // An id of linked portfolios may be several people's.
    (contacts.filter(isOfParent).length === 1 ? contacts.find(isOfParent) : undefined);
  const isOther =
    (from !== null && digitsOf(only?.wa_id) !== null) || (isText(message.from_user_id) && isText(only?.user_id));
  const contact = named ?? (isOther ? undefined : only);
  const person = readPerson(
    [message.from, contact?.wa_id],
    [...ids, contact?.user_id, contact?.wa_id, contact?.parent_user_id],
  );
  if (!person) return null;
  const profile = asObject(contact?.profile);
  const profileName = textOf(profile?.name);
  const username = textOf(profile?.username)?.replace(/^@/, '');
  return { ...person, ...(username && { username }), ...(profileName !== null && { profileName }) };
}

/** A person by the first value that is a number, and the first of each kind of id; null without any. */
export function readPerson(
  numbers: readonly unknown[],
  ids: readonly unknown[],
): Pick<Sender, 'from' | 'userId' | 'parentUserId'> | null {
  const from = numbers.map(digitsOf).find((each) => each !== null) ?? null;
  const userIds = ids.filter(isText).filter(isUserId);
  const userId = userIds.find((each) => !isParentUserId(each));
  const parentUserId = userIds.find(isParentUserId);
  if (from === null && userId === undefined && parentUserId === undefined) return null;
  return { from, ...(userId !== undefined && { userId }), ...(parentUserId !== undefined && { parentUserId }) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Seconds since 1970, as text or number. */
export function timeOf(value: unknown, otherwise: Date): Date {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return seconds > 0 && seconds < 100_000_000_000 ? new Date(seconds * 1000) : otherwise;
}

/** A number with its country code; null where it is something else. */
export function digitsOf(value: unknown): string | null {
  const digits = typeof value === 'string' ? value.replace(/^\+/, '') : '';
  return /^[1-9]\d{5,14}$/.test(digits) ? digits : null;
}

/** A code of an error: Meta's documents show a number, and some webhooks have it as text. Null where it is something else. */
export function codeOf(value: unknown): number | null {
  const code = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return typeof code === 'number' ? code : null;
}

/** A text that is not empty. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** For the log: a word of Meta's, never a text of somebody's. */
export function shortName(value: unknown): string {
  return typeof value === 'string' && /^[a-z_]{1,50}$/.test(value) ? value : 'unknown';
}

/** For the log and for what is kept: the type of a message, or that it is of a group, which says more than its type. */
export function messageName(message: Json): string {
  return isOfGroup(message) ? 'group' : shortName(message.type);
}

/** Whether a message was written to a WhatsApp group, and not to the business alone (Meta, "Groups API"). */
export function isOfGroup(message: Json): boolean {
  return textOf(message.group_id) !== null;
}

/** Undefined where it is none. */
export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** Those of a list that are objects. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject).filter((each) => each !== undefined) : [];
}
