import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { Operator } from '../../../platform/generated/prisma/client.js';
import { hashKey } from '../../keys.js';
import type { HeldOperator } from '../held.js';
import { takeRecoveryCode } from './recovery-code-store.js';

/** RFC 6238 with what every authenticator app understands: SHA-1, six digits, 30 seconds. */
const PERIOD_SECONDS = 30;
/** Steps before and after now that are taken too, for clocks go wrong. */
const WINDOW = 1;
/** RFC 4226 §4 asks for 160 bits. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Without those that look like others. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** What an authenticator app needs, shown once. */
export interface NewSecret {
  /** Base32. */
  secret: string;
  /** `otpauth://…`, for a QR code. */
  uri: string;
}

/** Whether an operator must give a code when they sign in. */
export function hasSecondFactor({ totpConfirmedAt }: Pick<Operator, 'totpConfirmedAt'>): boolean {
  return totpConfirmedAt !== null;
}

/**
 * Gives an operator the secret of a second factor, which counts once it is confirmed.
 * @throws {AppError} CONFLICT where they have one
 */
export async function beginSecondFactor({ prisma, row }: HeldOperator): Promise<NewSecret> {
  if (hasSecondFactor(row)) throw new AppError('CONFLICT', 'There is a second factor already; take it away first.');
  const totpSecret = new Secret({ size: SECRET_BYTES }).base32;
  await prisma.operator.update({ where: { id: row.id }, data: { totpSecret, totpLastStep: null } });
  return { secret: totpSecret, uri: totpOf(totpSecret, row.name).toString() };
}

/**
 * Has the second factor count from now on, for the operator has shown that their app knows it. It ends unused links.
 * @returns recovery codes, each good once in place of a code; they can never be shown again
 * @throws {AppError} CONFLICT where none was begun or it counts already, INVALID_REQUEST for a wrong code
 */
export async function confirmSecondFactor(held: HeldOperator, { code, at }: Proof): Promise<string[]> {
  const { id, totpSecret, totpConfirmedAt } = held.row;
  if (!totpSecret || totpConfirmedAt) throw new AppError('CONFLICT', 'No second factor waits for its code.');
  const step = stepOf(totpSecret, code, at);
  if (step === null) throw wrongCode();
  const { codes, hashes } = newRecoveryCodes();
  const data = { totpConfirmedAt: at, totpLastStep: step, recoveryCodeHashes: hashes };
  await held.prisma.operator.update({ where: { id }, data });
  await held.endLinks();
  return codes;
}

/**
 * Takes a code of the second factor, or a recovery code; neither is good twice, not even at the same moment.
 * @returns whether it is right
 */
export async function takeCode({ prisma, row }: HeldOperator, { code, at }: Proof): Promise<boolean> {
  const { id, totpSecret, totpLastStep } = row;
  const step = totpSecret === null ? null : stepOf(totpSecret, code, at);
  if (step === null) return takeRecoveryCode(prisma, id, hashKey(code.trim().toLowerCase()));
  if (totpLastStep !== null && totpLastStep >= step) return false;
  await prisma.operator.update({ where: { id }, data: { totpLastStep: step } });
  return true;
}

/**
 * Takes the second factor away, and ends unused links.
 * @throws {AppError} CONFLICT where there is none, INVALID_REQUEST for a wrong code
 */
export async function endSecondFactor(held: HeldOperator, proof: Proof): Promise<void> {
  await prove(held, proof);
  await held.prisma.operator.update({ where: { id: held.row.id }, data: NO_SECOND_FACTOR });
  await held.endLinks();
}

/**
 * Makes new recovery codes; those before are good no more, and neither are unused links.
 * @throws {AppError} CONFLICT without a second factor, INVALID_REQUEST for a wrong code
 */
export async function renewRecoveryCodes(held: HeldOperator, proof: Proof): Promise<string[]> {
  await prove(held, proof);
  const { codes, hashes } = newRecoveryCodes();
  await held.prisma.operator.update({ where: { id: held.row.id }, data: { recoveryCodeHashes: hashes } });
  await held.endLinks();
  return codes;
}

/** The columns of an operator without a second factor. */
export const NO_SECOND_FACTOR = {
  totpSecret: null,
  totpConfirmedAt: null,
  totpLastStep: null,
  recoveryCodeHashes: [],
};

/** That somebody has the second factor. */
interface Proof {
  code: string;
  /** Now. */
  at: Date;
}

async function prove(held: HeldOperator, proof: Proof): Promise<void> {
  if (!hasSecondFactor(held.row)) throw new AppError('CONFLICT', 'There is no second factor.');
  if (!(await takeCode(held, proof))) throw wrongCode();
}

function wrongCode(): AppError {
  return invalidField('code', 'is wrong, or was used before');
}

function totpOf(secret: string, label = ''): TOTP {
  return new TOTP({ issuer: 'Heliograph', label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}

/** The time step whose code this is; null for none of those around a moment. */
function stepOf(secret: string, code: string, at: Date): bigint | null {
  const token = code.replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return null;
  const delta = totpOf(secret).validate({ token, timestamp: at.getTime(), window: WINDOW });
  return delta === null ? null : BigInt(Math.floor(at.getTime() / 1000 / PERIOD_SECONDS) + delta);
}

function newRecoveryCodes(): { codes: string[]; hashes: Buffer<ArrayBuffer>[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  return { codes, hashes: codes.map(hashKey) };
}

/** About 79 random bits, in groups of four. */
function newRecoveryCode(): string {
  const letters = Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}
