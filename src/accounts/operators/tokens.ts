import { randomBytes } from 'node:crypto';

/** 256 random bits as a text that may stand in a URL and in a cookie. What is stored is its hash (`hashKey`). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

const TOKEN = /^[\w-]{43}$/;

/** Whether a text has the form of `newToken`. */
export function isToken(text: string | undefined): text is string {
  return text !== undefined && TOKEN.test(text);
}
