import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { Operator } from '../../../platform/generated/prisma/client.js';
import { hashKey } from '../../keys.js';
import type { LockedOperator } from '../locked-operator.js';
import { consumeRecoveryCode } from './recovery-code-store.js';

/** RFC 6238 codes with the parameters that every authenticator app supports: SHA-1, six digits and 30 seconds. */
const PERIOD_SECONDS = 30;
/** Number of periods before and after the current period whose codes are accepted, because clocks differ. */
const STEP_TOLERANCE = 1;
/** RFC 4226 §4 recommends secrets of 160 bits. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Recovery codes do not contain characters that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** The secret of a second factor is shown to the operator only once. */
export interface NewSecret {
  /** Base32. */
  secret: string;
  uri: string;
}

export function hasSecondFactor({ totpConfirmedAt }: Pick<Operator, 'totpConfirmedAt'>): boolean {
  return totpConfirmedAt !== null;
}

/** A new second factor takes effect once the operator has confirmed it. @throws {AppError} CONFLICT */
export async function startSecondFactor({ prisma, row }: LockedOperator): Promise<NewSecret> {
  if (hasSecondFactor(row)) throw new AppError('CONFLICT', 'You already have a second factor. Remove it first.');
  const totpSecret = new Secret({ size: SECRET_BYTES }).base32;
  await prisma.operator.update({ where: { id: row.id }, data: { totpSecret, totpLastStep: null } });
  return { secret: totpSecret, uri: createTotp(totpSecret, row.name).toString() };
}

/**
 * Confirming a second factor also revokes the operator's unused sign-in links. The returned recovery codes can be shown only
 * once, because only their hashes are stored.
 * @throws {AppError} CONFLICT, INVALID_REQUEST
 */
export async function confirmSecondFactor(locked: LockedOperator, { code, at }: CodeInput): Promise<string[]> {
  const { id, totpSecret, totpConfirmedAt } = locked.row;
  if (!totpSecret || totpConfirmedAt) throw new AppError('CONFLICT', 'No second factor is being set up.');
  const step = findStep(totpSecret, code, at);
  if (step === null) throw createWrongCodeError();
  const { codes, hashes } = generateRecoveryCodes();
  const data = { totpConfirmedAt: at, totpLastStep: step, recoveryCodeHashes: hashes };
  await locked.prisma.operator.update({ where: { id }, data });
  await locked.endLinks();
  return codes;
}

/** Accepts recovery codes too. Each code works only once, even in concurrent requests. */
export async function consumeCode({ prisma, row }: LockedOperator, { code, at }: CodeInput): Promise<boolean> {
  const { id, totpSecret, totpLastStep } = row;
  const step = totpSecret === null ? null : findStep(totpSecret, code, at);
  if (step === null) return consumeRecoveryCode(prisma, id, hashKey(code.trim().toLowerCase()));
  if (totpLastStep !== null && totpLastStep >= step) return false;
  await prisma.operator.update({ where: { id }, data: { totpLastStep: step } });
  return true;
}

/** Removing a second factor also revokes the operator's unused sign-in links. @throws {AppError} CONFLICT, INVALID_REQUEST */
export async function removeSecondFactor(locked: LockedOperator, proof: CodeInput): Promise<void> {
  await requireCode(locked, proof);
  await locked.prisma.operator.update({ where: { id: locked.row.id }, data: NO_SECOND_FACTOR });
  await locked.endLinks();
}

/** New recovery codes also revoke the operator's unused sign-in links. @throws {AppError} CONFLICT, INVALID_REQUEST */
export async function renewRecoveryCodes(locked: LockedOperator, proof: CodeInput): Promise<string[]> {
  await requireCode(locked, proof);
  const { codes, hashes } = generateRecoveryCodes();
  await locked.prisma.operator.update({ where: { id: locked.row.id }, data: { recoveryCodeHashes: hashes } });
  await locked.endLinks();
  return codes;
}

export const NO_SECOND_FACTOR = {
  totpSecret: null,
  totpConfirmedAt: null,
  totpLastStep: null,
  recoveryCodeHashes: [],
};

interface CodeInput {
  code: string;
  at: Date;
}

async function requireCode(locked: LockedOperator, proof: CodeInput): Promise<void> {
  if (!hasSecondFactor(locked.row)) throw new AppError('CONFLICT', 'No second factor is set up.');
  if (!(await consumeCode(locked, proof))) throw createWrongCodeError();
}

function createWrongCodeError(): AppError {
  return invalidField('code', 'is wrong, or was used before', 'wrong-proof');
}

function createTotp(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: 'Heliograph', label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}

function findStep(secret: string, code: string, now: Date): bigint | null {
  const token = code.replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = createTotp(secret).validate({ token, timestamp: now.getTime(), window: STEP_TOLERANCE });
  return delta === null ? null : BigInt(Math.floor(now.getTime() / 1000 / PERIOD_SECONDS) + delta);
}

function generateRecoveryCodes(): { codes: string[]; hashes: Buffer<ArrayBuffer>[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, generateRecoveryCode);
  return { codes, hashes: codes.map(hashKey) };
}

function generateRecoveryCode(): string {
  const letters = Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}
