import { hash, type Options, verify } from '@node-rs/argon2';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';

/**
 * Parameters from OWASP's Password Storage Cheat Sheet. 2 is the library's constant for argon2id, a const enum that
 * cannot be imported here.
 */
const ARGON2ID: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** NIST SP 800-63B: require length, not composition. */
const MIN_LENGTH = 12;
/** Long texts take long to hash. */
const MAX_PASSWORD_LENGTH = 256;

/** Makes the check take equally long for an operator without a password. */
let dummyHash: Promise<string> | undefined;

/** @throws {AppError} INVALID_REQUEST */
export function checkNewPassword(password: string, field = 'password'): void {
  if (!isLongerThan(password, MIN_LENGTH - 1)) throw invalidField(field, `must have at least ${MIN_LENGTH} characters`);
  if (password.length > MAX_PASSWORD_LENGTH) {
    throw invalidField(field, `must have at most ${MAX_PASSWORD_LENGTH} characters`);
  }
  if (isBlank(password)) throw invalidField(field, 'must not consist of blanks only');
}

/** Slow, and needs 19 MB: limit the attempts first if anyone can call it often. @throws {AppError} INVALID_REQUEST */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  checkNewPassword(password, field);
  return hash(password, ARGON2ID);
}

export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  dummyHash ??= hash('nobody has this password', ARGON2ID);
  const matches = await verify(passwordHash ?? (await dummyHash), password.slice(0, MAX_PASSWORD_LENGTH + 1));
  return matches && passwordHash !== null;
}
