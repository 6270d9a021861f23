import { hash, type Options, verify } from '@node-rs/argon2';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';

/**
 * Argon2id as OWASP's Password Storage Cheat Sheet asks. The library works in the thread pool of Node.js, so the event
 * loop goes on. 2 is the library's constant for argon2id, which the compiler cannot take from its declarations.
 */
const ARGON2ID: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** NIST SP 800-63B: length is what counts. */
const MIN_LENGTH = 12;
/** Nobody types more, and hashing takes longer the longer a text is. */
const MAX_PASSWORD_LENGTH = 256;

/** What a name without a password is checked against, so that the answer takes as long. */
let nobody: Promise<string> | undefined;

/**
 * Checks the rules of a new password. Cheap, unlike hashing it.
 * @throws {AppError} INVALID_REQUEST if it is too short, too long or blank
 */
export function checkNewPassword(password: string, field = 'password'): void {
  if (!isLongerThan(password, MIN_LENGTH - 1)) throw invalidField(field, `must have at least ${MIN_LENGTH} characters`);
  if (password.length > MAX_PASSWORD_LENGTH) {
    throw invalidField(field, `must have at most ${MAX_PASSWORD_LENGTH} characters`);
  }
  if (isBlank(password)) throw invalidField(field, 'must not be blanks alone');
}

/**
 * Hashes a new password. It is slow and takes 19 MB: count an attempt before, where anybody can cause many.
 * @throws {AppError} as `checkNewPassword`
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  checkNewPassword(password, field);
  return hash(password, ARGON2ID);
}

/** Whether a password is that of a hash; without a hash it is not, after the same effort. */
export async function isPassword(passwordHash: string | null, password: string): Promise<boolean> {
  nobody ??= hash('nobody has this password', ARGON2ID);
  const matches = await verify(passwordHash ?? (await nobody), password.slice(0, MAX_PASSWORD_LENGTH + 1));
  return matches && passwordHash !== null;
}
