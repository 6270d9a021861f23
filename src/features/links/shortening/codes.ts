import { randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * With 62^10 codes (almost 2^60), guessing finds none of a hundred million links in practice, and a new code is already in use
 * about once in ten billion times.
 */
export const CODE_LENGTH = 10;

const CODE = /^[A-Za-z0-9]{10}$/;

/** All characters are in the GSM alphabet, so a code never changes the encoding of an SMS. */
export function createCode(): string {
  return Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export function isCode(text: string): boolean {
  return CODE.test(text);
}
