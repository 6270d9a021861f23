/** Meta, "Business-scoped user IDs". In an ID that linked portfolios share, `ENT.` follows the first dot. */
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;
const PARENT_USER_ID = /^[A-Z]{2}\.ENT\.[A-Za-z0-9]{1,128}$/;

export const USER_ID_RULE =
  'must be a WhatsApp user ID: a country code, a dot, and up to 128 letters and digits, such as US.13491208655302741918';

/** User IDs that linked business portfolios share are rejected, because several people can have the same shared ID. */
export const OWN_USER_ID_RULE =
  'must be a WhatsApp user ID, such as US.13491208655302741918, but not one of linked portfolios (.ENT.)';

export const USER_ID_ON_SMS_RULE = 'is only for WhatsApp, and the channel sends SMS';

export const USER_ID_LIMIT = 135;

export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}

export function isParentUserId(text: string): boolean {
  return PARENT_USER_ID.test(text);
}

export function isOwnUserId(text: string): boolean {
  return isUserId(text) && !isParentUserId(text);
}

export interface PersonIds {
  /** Digits with country code. */
  phone: string | null;
  /** User ID that is valid only in the business portfolio of the channel. */
  userId: string | null;
  /** User ID that is valid in all linked business portfolios. */
  parentUserId: string | null;
}

/** Prefers the phone number. Returns null if the number has moved to someone else, and no user ID is known. */
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

/** Phone numbers start with a digit, and user IDs with a letter. */
function isId(address: string): boolean {
  return address.charCodeAt(0) > 0x39;
}

/** @param address an SQL expression */
export function buildIsNumberSql(address: string): string {
  return `${address} ~ '^[0-9]'`;
}
