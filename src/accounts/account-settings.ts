import { isSupportedCountry } from 'libphonenumber-js';
import { AppError, invalidField } from '../platform/errors/app-error.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { requireAccount } from './accounts.js';
import { isSenderId, SENDER_ID_RULE } from './sender-ids.js';

type AccountTable = Pick<PrismaClient, 'account'>;

const MAX_SENDER_IDS = 100;

export const ACCOUNT_SWITCHED_OFF = 'The account is switched off. Ask the operator of this server.';

/**
 * Switching an account off pauses its campaigns and automations, but does not stop messages that are already being sent.
 * @throws {AppError} NOT_FOUND
 */
export async function setAccountActive(prisma: AccountTable, accountId: string, isActive: boolean): Promise<void> {
  await requireAccount(prisma, accountId);
  await prisma.account.update({ where: { id: accountId }, data: { isActive } });
}

/**
 * Webhooks are notified immediately if the account's balance is already below the new threshold.
 * @throws {AppError} NOT_FOUND
 */
export async function setLowBalanceThreshold(
  prisma: AccountTable,
  accountId: string,
  thresholdMicros: bigint | null,
): Promise<{ currency: string }> {
  await requireAccount(prisma, accountId);
  const data = { lowBalanceMicros: thresholdMicros, lowBalanceTold: false };
  return prisma.account.update({ where: { id: accountId }, data, select: { currency: true } });
}

export async function setSenderIds(
  prisma: AccountTable,
  accountId: string,
  senderIds: readonly string[],
): Promise<void> {
  await requireAccount(prisma, accountId);
  const distinct = [...new Set(senderIds)];
  if (distinct.length > MAX_SENDER_IDS) throw invalidField('senders', `must have at most ${MAX_SENDER_IDS} entries`);
  for (const senderId of distinct) {
    if (!isSenderId(senderId)) throw invalidField('sender', `"${senderId}" ${SENDER_ID_RULE}`);
  }
  await prisma.account.update({ where: { id: accountId }, data: { senderIds: distinct } });
}

/** @param country ISO 3166 alpha-2. @throws {AppError} INVALID_REQUEST, NOT_FOUND */
export async function setDefaultCountry(
  prisma: AccountTable,
  accountId: string,
  country: string | null,
): Promise<void> {
  await requireAccount(prisma, accountId);
  if (country !== null && !isSupportedCountry(country)) {
    throw invalidField('defaultCountry', 'must be the ISO 3166 code of a country, such as DE');
  }
  await prisma.account.update({ where: { id: accountId }, data: { defaultCountry: country } });
}

export const STOP_SCOPES = ['all', 'marketing'] as const;
export type StopScope = (typeof STOP_SCOPES)[number];

/** What a later STOP blocks; existing opt-outs stay as they are. @throws {AppError} NOT_FOUND */
export async function setStopScope(prisma: AccountTable, accountId: string, scope: StopScope): Promise<void> {
  await requireAccount(prisma, accountId);
  await prisma.account.update({ where: { id: accountId }, data: { stopsMarketingOnly: scope === 'marketing' } });
}

/**
 * Messages that were accepted before the account's rate card changed keep their price.
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND
 */
export async function setRateCard(
  prisma: Pick<PrismaClient, 'account' | 'rateCard'>,
  accountId: string,
  rateCardId: string,
): Promise<void> {
  const { currency } = await requireAccount(prisma, accountId);
  const card = await prisma.rateCard.findUnique({ where: { id: rateCardId } });
  if (!card) throw new AppError('NOT_FOUND', `there is no rate card ${rateCardId}`);
  if (card.currency !== currency) {
    throw invalidField(
      'rateCard',
      `must use ${currency}, the currency of the account; ${rateCardId} uses ${card.currency}`,
    );
  }
  await prisma.account.update({ where: { id: accountId }, data: { rateCardId } });
}

/** Removes the characters that are ignored when sender IDs are compared. */
export function normalizeSenderId(sender: string): string {
  return sender.replace(/[+\-() ]/g, '');
}

export function requireSenderId(allowed: readonly string[], sender: string, field: string): void {
  if (allowed.length === 0 || allowed.some((allowedId) => normalizeSenderId(allowedId) === normalizeSenderId(sender)))
    return;
  throw invalidField(field, `must be a sender ID that the account may use: ${allowed.join(', ')}`);
}

export function findAccountRefusal({ isActive }: { isActive: boolean }): AppError | null {
  return isActive ? null : new AppError('FORBIDDEN', ACCOUNT_SWITCHED_OFF);
}
