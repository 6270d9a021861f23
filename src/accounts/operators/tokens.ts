import { randomBytes } from 'node:crypto';

/** Generates a random token that needs no escaping in URLs and cookies. */
export function generateToken(): string {
  return randomBytes(32).toString('base64url');
}

const TOKEN = /^[\w-]{43}$/;

export function isToken(text: string | undefined): text is string {
  return text !== undefined && TOKEN.test(text);
}
