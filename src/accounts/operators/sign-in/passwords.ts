import { hash, type Options, verify } from '@node-rs/argon2';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';

/**
 * Parameters for argon2id from OWASP's Password Storage Cheat Sheet. `algorithm` is a number, because the library's const enum
 * cannot be imported here.
 */
const ARGON2ID: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** NIST SP 800-63B recommends a minimum length instead of rules about characters. */
const MIN_LENGTH = 12;
/** Passwords have a maximum length, because hashing very long texts is slow. */
const MAX_PASSWORD_LENGTH = 256;

/** A dummy hash is verified for operators without a password, so that every check takes equally long. */
let dummyHash: Promise<string> | undefined;

/** @throws {AppError} INVALID_REQUEST */
export function checkNewPassword(password: string, field = 'password'): void {
  if (!isLongerThan(password, MIN_LENGTH - 1)) throw invalidField(field, `must have at least ${MIN_LENGTH} characters`);
  if (password.length > MAX_PASSWORD_LENGTH) {
    throw invalidField(field, `must have at most ${MAX_PASSWORD_LENGTH} characters`);
  }
  if (isBlank(password)) throw invalidField(field, 'must not consist of blanks only');
}

/**
 * Limit the attempts of unauthenticated callers before hashing, because hashing is slow and takes 19 MB of memory.
 * @throws {AppError} INVALID_REQUEST
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  checkNewPassword(password, field);
  return hash(password, ARGON2ID);
}

export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  dummyHash ??= hash('nobody has this password', ARGON2ID);
  const matches = await verify(passwordHash ?? (await dummyHash), password.slice(0, MAX_PASSWORD_LENGTH + 1));
  return matches && passwordHash !== null;
}
