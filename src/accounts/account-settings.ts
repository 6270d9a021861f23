import { isSupportedCountry } from 'libphonenumber-js';
import { AppError, invalidField } from '../platform/errors/app-error.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { requireAccount } from './accounts.js';
import { isSenderId, SENDER_ID_RULE } from './sender-ids.js';

type AccountTable = Pick<PrismaClient, 'account'>;

/** Most sender IDs of an account. */
const MAX_SENDER_IDS = 100;

/** What a key of an account that is switched off is told. */
export const SWITCHED_OFF = 'The account is switched off. Ask the operator of this server.';

/**
 * Switches an account on or off. Running servers refuse the keys of one that is off within seconds; what it has
 * sent goes on, its campaigns and automations wait.
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function switchAccount(prisma: AccountTable, accountId: string, isActive: boolean): Promise<void> {
  await requireAccount(prisma, accountId);
  await prisma.account.update({ where: { id: accountId }, data: { isActive } });
}

/**
 * Sets the balance below which the account's webhooks are told; null ends that. One that is below it now is told at once.
 * @param thresholdMicros millionths of the account's currency unit
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function setLowBalance(
  prisma: AccountTable,
  accountId: string,
  thresholdMicros: bigint | null,
): Promise<{ currency: string }> {
  await requireAccount(prisma, accountId);
  const data = { lowBalanceMicros: thresholdMicros, lowBalanceTold: false };
  return prisma.account.update({ where: { id: accountId }, data, select: { currency: true } });
}

/**
 * Sets which sender IDs the account's SMS may have; none: any. Running servers go by it within seconds.
 * @throws {AppError} INVALID_REQUEST for a malformed one or too many, NOT_FOUND for an unknown account
 */
export async function setSenderIds(
  prisma: AccountTable,
  accountId: string,
  senderIds: readonly string[],
): Promise<void> {
  await requireAccount(prisma, accountId);
  const different = [...new Set(senderIds)];
  if (different.length > MAX_SENDER_IDS) throw invalidField('senders', `must not be more than ${MAX_SENDER_IDS}`);
  for (const each of different) {
    if (!isSenderId(each)) throw invalidField('sender', `"${each}" ${SENDER_ID_RULE}`);
  }
  await prisma.account.update({ where: { id: accountId }, data: { senderIds: different } });
}

/**
 * Sets the country by whose numbering plan Surface A reads the numbers that the account sends to; null ends that. Running
 * servers follow it within seconds.
 * @param country ISO 3166 alpha-2, in upper case
 * @throws {AppError} INVALID_REQUEST for an unknown country, NOT_FOUND for an unknown account
 */
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

/**
 * Lets an account go by another rate card. Running servers do so within seconds; what was accepted keeps its price.
 * @throws {AppError} NOT_FOUND for an unknown account or card, INVALID_REQUEST for a card in another currency
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
      `must be in ${currency}, the currency of the account; ${rateCardId} is in ${card.currency}`,
    );
  }
  await prisma.account.update({ where: { id: accountId }, data: { rateCardId } });
}

/** A sender ID as two are compared: numbers are the same with and without a plus sign, blanks, hyphens and parentheses. */
export function comparableSender(sender: string): string {
  return sender.replace(/[+\-() ]/g, '');
}

/**
 * Checks the sender ID of an SMS against those of its account.
 * @param allowed none: any
 * @param field the field that names it
 * @throws {AppError} INVALID_REQUEST on the field
 */
export function requireSenderId(allowed: readonly string[], sender: string, field: string): void {
  if (allowed.length === 0 || allowed.some((each) => comparableSender(each) === comparableSender(sender))) return;
  throw invalidField(field, `must be a sender ID that the account may use: ${allowed.join(', ')}`);
}

/** The error of a key whose account is switched off; null for one that is on. */
export function refusalOf({ isActive }: { isActive: boolean }): AppError | null {
  return isActive ? null : new AppError('FORBIDDEN', SWITCHED_OFF);
}
