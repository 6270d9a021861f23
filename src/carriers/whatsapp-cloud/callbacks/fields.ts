import type { InboundReport } from '../../inbound-message.js';
import { isParentUserId, isUserId } from '../../numbers/user-ids.js';

/** JSON from Meta, in which any member may be missing or have the wrong type. */
export type Json = Readonly<Record<string, unknown>>;

export type Sender = Pick<InboundReport, 'from' | 'userId' | 'parentUserId' | 'username' | 'profileName'>;

/** `from` and `wa_id` may contain a user ID instead of a number. */
export function readSender(message: Json, contacts: readonly Json[]): Sender | null {
  // If a webhook contains only one contact, this contact is assumed to be the sender.
  const onlyContact = contacts.length === 1 ? contacts[0] : undefined;
  const from = readPhoneNumber(message.from);
  const ids = [message.from_user_id, message.from, message.from_parent_user_id];
  const isSenderId = (...values: readonly unknown[]) => values.some((value) => isText(value) && ids.includes(value));
  const hasSenderParentId = ({ parent_user_id }: Json) => isSenderId(parent_user_id);
  const match =
    contacts.find(
      ({ wa_id, user_id }) => (from !== null && readPhoneNumber(wa_id) === from) || isSenderId(user_id, wa_id),
    ) ??
    // A parent user ID identifies the sender only if it belongs to a single contact, because several people can share a parent
    // user ID.
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

export function readPerson(
  numbers: readonly unknown[],
  ids: readonly unknown[],
): Pick<Sender, 'from' | 'userId' | 'parentUserId'> | null {
  const from = numbers.map(readPhoneNumber).find((number) => number !== null) ?? null;
  const userIds = ids.filter(isText).filter(isUserId);
  const userId = userIds.find((id) => !isParentUserId(id));
  const parentUserId = userIds.find(isParentUserId);
  if (from === null && userId === undefined && parentUserId === undefined) return null;
  return { from, ...(userId !== undefined && { userId }), ...(parentUserId !== undefined && { parentUserId }) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Accepts seconds since 1970. */
export function readTime(value: unknown, fallback: Date): Date {
  const seconds = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return seconds > 0 && seconds < 100_000_000_000 ? new Date(seconds * 1000) : fallback;
}

export function readPhoneNumber(value: unknown): string | null {
  const digits = typeof value === 'string' ? value.replace(/^\+/, '') : '';
  return /^[1-9]\d{5,14}$/.test(digits) ? digits : null;
}

export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Accepts only Meta's identifiers, so that no personal text is logged. */
export function toSafeLabel(value: unknown): string {
  return typeof value === 'string' && /^[a-z_]{1,50}$/.test(value) ? value : 'unknown';
}

export function toMessageLabel(message: Json): string {
  return isGroupMessage(message) ? 'group' : toSafeLabel(message.type);
}

/** Meta, "Groups API". */
export function isGroupMessage(message: Json): boolean {
  return readText(message.group_id) !== null;
}

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function readObjects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(asObject).filter((object) => object !== undefined) : [];
}
