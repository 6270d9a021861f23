import type { InboundReport } from '../../inbound-message.js';
import { isParentUserId, isUserId } from '../../numbers/user-ids.js';

/** An object in a webhook. Callers must expect any member to be missing or of the wrong type. */
export type Json = Readonly<Record<string, unknown>>;

export type Sender = Pick<InboundReport, 'from' | 'userId' | 'parentUserId' | 'username' | 'profileName'>;

/**
 * Identifies the sender of a message from all the fields in which Meta may name a person. `from` and `wa_id` may
 * contain a user ID instead of a number. Returns null if nobody is named.
 */
export function readSender(message: Json, contacts: readonly Json[]): Sender | null {
  // A contact may lack `wa_id` and a message may lack a number. A single contact is assumed to be the sender.
  const onlyContact = contacts.length === 1 ? contacts[0] : undefined;
  const from = readPhoneNumber(message.from);
  const ids = [message.from_user_id, message.from, message.from_parent_user_id];
  const isSenderId = (...values: readonly unknown[]) => values.some((each) => isText(each) && ids.includes(each));
  const hasSenderParentId = ({ parent_user_id }: Json) => isSenderId(parent_user_id);
  const match =
    contacts.find(
      ({ wa_id, user_id }) => (from !== null && readPhoneNumber(wa_id) === from) || isSenderId(user_id, wa_id),
    ) ??
    // Several people can share a parent user ID.
    (contacts.filter(hasSenderParentId).length === 1 ? contacts.find(hasSenderParentId) : undefined);
  const isDifferentPerson =
    (from !== null && readPhoneNumber(onlyContact?.wa_id) !== null) ||
    (isText(message.from_user_id) && isText(onlyContact?.user_id));
  const contact = match ?? (isDifferentPerson ? undefined : onlyContact);
  const person = readPerson(
    [message.from, contact?.wa_id],
    [...ids, contact?.user_id, contact?.wa_id, contact?.parent_user_id],
  );
  if (!person) return null;
  const profile = asObject(contact?.profile);
  const profileName = readText(profile?.name);
  const username = readText(profile?.username)?.replace(/^@/, '');
  return { ...person, ...(username && { username }), ...(profileName !== null && { profileName }) };
}

/** Takes the first valid number and the first ID of each kind. Returns null if there is none. */
export function readPerson(
  numbers: readonly unknown[],
  ids: readonly unknown[],
): Pick<Sender, 'from' | 'userId' | 'parentUserId'> | null {
  const from = numbers.map(readPhoneNumber).find((each) => each !== null) ?? null;
  const userIds = ids.filter(isText).filter(isUserId);
  const userId = userIds.find((each) => !isParentUserId(each));
  const parentUserId = userIds.find(isParentUserId);
  if (from === null && userId === undefined && parentUserId === undefined) return null;
  return { from, ...(userId !== undefined && { userId }), ...(parentUserId !== undefined && { parentUserId }) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Parses seconds since 1970, given as text or as a number. */
export function readTime(value: unknown, fallback: Date): Date {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return seconds > 0 && seconds < 100_000_000_000 ? new Date(seconds * 1000) : fallback;
}

/** Returns the digits of a number with country code, or null for anything else. */
export function readPhoneNumber(value: unknown): string | null {
  const digits = typeof value === 'string' ? value.replace(/^\+/, '') : '';
  return /^[1-9]\d{5,14}$/.test(digits) ? digits : null;
}

/** Reads an error code. Meta documents a number, but some webhooks contain text. Returns null for anything else. */
export function readErrorCode(value: unknown): number | null {
  const code = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return typeof code === 'number' ? code : null;
}

/** Returns null for an empty text or another type. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns the value only if it looks like one of Meta's identifiers, so that no personal text reaches the log. */
export function safeLabel(value: unknown): string {
  return typeof value === 'string' && /^[a-z_]{1,50}$/.test(value) ? value : 'unknown';
}

/** A label for logs and stored reports: the message type, or `group` for any group message. */
export function messageLabel(message: Json): string {
  return isGroupMessage(message) ? 'group' : safeLabel(message.type);
}

/** Whether a message was sent to a WhatsApp group rather than to the business (Meta, "Groups API"). */
export function isGroupMessage(message: Json): boolean {
  return readText(message.group_id) !== null;
}

/** Returns undefined if the value is not an object. */
export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** Returns the objects in a list, or an empty list for anything else. */
export function readObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject).filter((each) => each !== undefined) : [];
}
