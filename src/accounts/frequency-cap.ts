import { invalidField } from '../platform/errors/app-error.js';
import { Prisma, type PrismaClient } from '../platform/generated/prisma/client.js';
import { requireAccount } from './accounts.js';

export const CAP_DAYS = [1, 7] as const;

export const MAX_CAP_MESSAGES = 1000;

/** The most marketing messages per phone number, over all channels of an account. */
export interface FrequencyCap {
  messages: number;
  /** Rolling: the last 24 hours, or the last 7 times 24 hours. */
  days: (typeof CAP_DAYS)[number];
}

/** Messages that were accepted while the account had no cap do not count. @throws {AppError} INVALID_REQUEST, NOT_FOUND */
export async function setFrequencyCap(
  prisma: Pick<PrismaClient, 'account'>,
  accountId: string,
  cap: FrequencyCap | null,
): Promise<void> {
  await requireAccount(prisma, accountId);
  if (cap && !(Number.isInteger(cap.messages) && cap.messages >= 1 && cap.messages <= MAX_CAP_MESSAGES)) {
    throw invalidField('frequencyCap.messages', `must be a whole number from 1 to ${MAX_CAP_MESSAGES}`);
  }
  if (cap && !CAP_DAYS.includes(cap.days)) throw invalidField('frequencyCap.days', 'must be 1 or 7');
  const frequencyCap = cap ? { messages: cap.messages, days: cap.days } : Prisma.DbNull;
  await prisma.account.update({ where: { id: accountId }, data: { frequencyCap } });
}

/** @param stored the column `accounts.frequency_cap` */
export function readFrequencyCap(stored: unknown): FrequencyCap | null {
  return (stored as FrequencyCap | null | undefined) ?? null;
}

/** For example `24 hours`. */
export function describeCapSpan({ days }: Pick<FrequencyCap, 'days'>): string {
  return days === 1 ? '24 hours' : `${days} days`;
}
