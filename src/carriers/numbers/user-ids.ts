/**
 * Ids by which Meta names a person to a business where no number is told (Meta, "Business-scoped user IDs"): the ISO code of
 * a country, a point, and up to 128 letters and digits. One of all linked portfolios has `ENT.` before these.
 */
const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;
const PARENT_USER_ID = /^[A-Z]{2}\.ENT\.[A-Za-z0-9]{1,128}$/;

export const USER_ID_RULE =
  'must be a user id of WhatsApp: a country, a point, and up to 128 letters and digits, such as US.13491208655302741918';

/** Of a contact that somebody makes or changes: an id of linked portfolios is no proof of who somebody is. */
export const OWN_USER_ID_RULE =
  'must be a user id of WhatsApp, such as US.13491208655302741918, and none of linked portfolios';

export const USER_ID_ON_SMS_RULE = 'is of WhatsApp, and the channel sends SMS';

/** Most characters of a user id. */
export const USER_ID_LIMIT = 135;

/** Whether a text is a user id, of one portfolio or of all linked ones. */
export function isUserId(text: string): boolean {
  return USER_ID.test(text);
}

/** Whether a text is a user id of all linked portfolios. */
export function isParentUserId(text: string): boolean {
  return PARENT_USER_ID.test(text);
}

/** Whether a text is a user id of one portfolio. */
export function isOwnUserId(text: string): boolean {
  return isUserId(text) && !isParentUserId(text);
}

/** Who a person is: each id is null where it is not known. */
export interface PersonIds {
  /** Digits with country code. */
  phone: string | null;
  /** Of the portfolio of a channel. */
  userId: string | null;
  /** Of all linked portfolios. */
  parentUserId: string | null;
}

/**
 * What messages to a person are addressed to: the number where one is known, else an id. Null where nothing is known any
 * more: the number has moved on to somebody else.
 */
export function addressOf({ phone, userId, parentUserId }: PersonIds): string | null {
  return phone ?? userId ?? parentUserId;
}

/** All that messages to a person may be addressed to. */
export function addressesOf({ phone, userId, parentUserId }: PersonIds): string[] {
  return [phone, userId, parentUserId].filter((each) => each !== null);
}

/** The number that an address is; null where it is an id. */
export function phoneIn(address: string): string | null {
  return isId(address) ? null : address;
}

/** The user id that an address is; null where it is a number. */
export function userIdIn(address: string): string | null {
  return isId(address) ? address : null;
}

/** A number begins with a digit, an id with a letter. */
function isId(address: string): boolean {
  return address.charCodeAt(0) > 0x39;
}

/** SQL condition that an address is a phone number, not a user ID. @param address an SQL expression */
export function isNumberSql(address: string): string {
  return `${address} ~ '^[0-9]'`;
}
