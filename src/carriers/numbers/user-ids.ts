/** Meta, "Business-scoped user IDs". IDs shared by linked portfolios start with `ENT.` after the dot. */
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;
const PARENT_USER_ID = /^[A-Z]{2}\.ENT\.[A-Za-z0-9]{1,128}$/;

export const USER_ID_RULE =
  'must be a user id of WhatsApp: a country code, a dot, and up to 128 letters and digits, such as US.13491208655302741918';

/** An ID of linked portfolios does not prove who someone is. */
export const OWN_USER_ID_RULE =
  'must be a user id of WhatsApp, such as US.13491208655302741918, but not one of linked portfolios (.ENT.)';

export const USER_ID_ON_SMS_RULE = 'is only for WhatsApp, and the channel sends SMS';

export const USER_ID_LIMIT = 135;

export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}

/** A parent user ID is valid in all linked portfolios. */
export function isParentUserId(text: string): boolean {
  return PARENT_USER_ID.test(text);
}

export function isOwnUserId(text: string): boolean {
  return isUserId(text) && !isParentUserId(text);
}

export interface PersonIds {
  /** Digits with country code. */
  phone: string | null;
  /** Valid in the channel's portfolio. */
  userId: string | null;
  /** Valid in all linked portfolios. */
  parentUserId: string | null;
}

/** Prefers the number. Null if nothing is known, because the number has moved to someone else. */
export function toAddress({ phone, userId, parentUserId }: PersonIds): string | null {
  return phone ?? userId ?? parentUserId;
}

export function toAddresses({ phone, userId, parentUserId }: PersonIds): string[] {
  return [phone, userId, parentUserId].filter((address) => address !== null);
}

export function extractPhone(address: string): string | null {
  return isId(address) ? null : address;
}

export function extractUserId(address: string): string | null {
  return isId(address) ? address : null;
}

/** Numbers start with a digit, user IDs with a letter. */
function isId(address: string): boolean {
  return address.charCodeAt(0) > 0x39;
}

/** @param address an SQL expression */
export function buildIsNumberSql(address: string): string {
  return `${address} ~ '^[0-9]'`;
}
