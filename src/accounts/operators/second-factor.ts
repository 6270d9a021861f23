import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { Operator, PrismaClient } from '../../platform/generated/prisma/client.js';
import { hashKey } from '../keys.js';
import { takeRecoveryCode } from './recovery-code-store.js';

type OperatorTable = Pick<PrismaClient, 'operator' | '$executeRaw'>;

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
export async function beginSecondFactor(prisma: OperatorTable, operatorId: string): Promise<NewSecret> {
  const totpSecret = new Secret({ size: SECRET_BYTES }).base32;
  const { count } = await prisma.operator.updateMany({
    where: { id: operatorId, totpConfirmedAt: null },
    data: { totpSecret, totpLastStep: null },
  });
  if (count === 0) throw new AppError('CONFLICT', 'There is a second factor already; take it away first.');
  const { name } = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  return { secret: totpSecret, uri: totpOf(totpSecret, name).toString() };
}

/**
 * Has the second factor count from now on, for the operator has shown that their app knows it.
 * @returns recovery codes, each good once in place of a code; they can never be shown again
 * @throws {AppError} CONFLICT where none was begun or it was confirmed meanwhile, INVALID_REQUEST for a wrong code
 */
export async function confirmSecondFactor(
  prisma: OperatorTable,
  { operatorId, code, at }: { operatorId: string; code: string; at: Date },
): Promise<string[]> {
  const operator = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  const { totpSecret } = operator;
  if (!totpSecret || operator.totpConfirmedAt) throw noneWaits();
  const step = stepOf(totpSecret, code, at);
  if (step === null) throw wrongCode();
  const { codes, hashes } = newRecoveryCodes();
  // Of two requests at once one confirms, and only the secret that the code was of.
  const { count } = await prisma.operator.updateMany({
    where: { id: operatorId, totpConfirmedAt: null, totpSecret },
    data: { totpConfirmedAt: at, totpLastStep: step, recoveryCodeHashes: hashes },
  });
  if (count === 0) throw noneWaits();
  return codes;
}

/**
 * Takes a code of the second factor, or a recovery code; neither is good twice, not even at the same moment.
 * @returns whether it is right
 */
export async function takeCode(
  prisma: OperatorTable,
  { operator, code, at }: { operator: Operator; code: string; at: Date },
): Promise<boolean> {
  const { id, totpSecret } = operator;
  const step = totpSecret === null ? null : stepOf(totpSecret, code, at);
  if (step !== null) {
    const { count } = await prisma.operator.updateMany({
      where: { id, OR: [{ totpLastStep: null }, { totpLastStep: { lt: step } }] },
      data: { totpLastStep: step },
    });
    return count === 1;
  }
  return takeRecoveryCode(prisma, id, hashKey(code.trim().toLowerCase()));
}

/**
 * Takes the second factor away.
 * @throws {AppError} CONFLICT where there is none, INVALID_REQUEST for a wrong code
 */
export async function endSecondFactor(prisma: OperatorTable, proof: Proof): Promise<void> {
  await prove(prisma, proof);
  await prisma.operator.update({ where: { id: proof.operatorId }, data: NO_SECOND_FACTOR });
}

/**
 * Makes new recovery codes; those before are good no more.
 * @throws {AppError} CONFLICT without a second factor, INVALID_REQUEST for a wrong code
 */
export async function renewRecoveryCodes(prisma: OperatorTable, proof: Proof): Promise<string[]> {
  await prove(prisma, proof);
  const { codes, hashes } = newRecoveryCodes();
  await prisma.operator.update({ where: { id: proof.operatorId }, data: { recoveryCodeHashes: hashes } });
  return codes;
}

/** The columns of an operator without a second factor. */
export const NO_SECOND_FACTOR = {
  totpSecret: null,
  totpConfirmedAt: null,
  totpLastStep: null,
  recoveryCodeHashes: [],
};

/** That the operator still has the second factor. */
interface Proof {
  operatorId: string;
  code: string;
  at: Date;
}

async function prove(prisma: OperatorTable, { operatorId, code, at }: Proof): Promise<void> {
  const operator = await prisma.operator.findUniqueOrThrow({ where: { id: operatorId } });
  if (!hasSecondFactor(operator)) throw new AppError('CONFLICT', 'There is no second factor.');
  if (!(await takeCode(prisma, { operator, code, at }))) throw wrongCode();
}

function noneWaits(): AppError {
  return new AppError('CONFLICT', 'No second factor waits for its code.');
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
