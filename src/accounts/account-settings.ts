import { isSupportedCountry } from 'libphonenumber-js';
import { AppError, invalidField } from '../platform/errors/app-error.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { requireAccount } from './accounts.js';
import { isSenderId, SENDER_ID_RULE } from './sender-ids.js';

type AccountTable = Pick<PrismaClient, 'account'>;

const MAX_SENDER_IDS = 100;

/** Error text for a request whose account is switched off. */
export const ACCOUNT_SWITCHED_OFF = 'The account is switched off. Ask the operator of this server.';

/**
 * Switches an account on or off. Within seconds, running servers refuse the keys of an account that is off. Messages it
 * has already sent stay in progress; its campaigns and automations wait.
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function setAccountActive(prisma: AccountTable, accountId: string, isActive: boolean): Promise<void> {
  await requireAccount(prisma, accountId);
  await prisma.account.update({ where: { id: accountId }, data: { isActive } });
}

/**
 * Sets the balance below which the account's webhooks are notified; null turns this off. If the balance is already
 * lower, they are notified at once.
 * @param thresholdMicros millionths of the account's currency unit
 * @throws {AppError} NOT_FOUND for an unknown account
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

/**
 * Sets the sender IDs that the account's SMS may use; an empty list allows any. Running servers pick it up within
 * seconds.
 * @throws {AppError} INVALID_REQUEST for a malformed sender ID or too many, NOT_FOUND for an unknown account
 */
export async function setSenderIds(
  prisma: AccountTable,
  accountId: string,
  senderIds: readonly string[],
): Promise<void> {
  await requireAccount(prisma, accountId);
  const distinct = [...new Set(senderIds)];
  if (distinct.length > MAX_SENDER_IDS) throw invalidField('senders', `must have at most ${MAX_SENDER_IDS} entries`);
  for (const each of distinct) {
    if (!isSenderId(each)) throw invalidField('sender', `"${each}" ${SENDER_ID_RULE}`);
  }
  await prisma.account.update({ where: { id: accountId }, data: { senderIds: distinct } });
}

/**
 * Sets the country whose numbering plan Surface A applies to recipients; null turns this off. Running servers pick it
 * up within seconds.
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
 * Assigns another rate card to an account. Running servers pick it up within seconds; accepted messages keep their
 * price.
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
      `must use ${currency}, the currency of the account; ${rateCardId} uses ${card.currency}`,
    );
  }
  await prisma.account.update({ where: { id: accountId }, data: { rateCardId } });
}

/** Strips what does not matter when sender IDs are compared: plus signs, spaces, hyphens and parentheses. */
export function normalizeSenderId(sender: string): string {
  return sender.replace(/[+\-() ]/g, '');
}

/**
 * Checks that an account may use a sender ID.
 * @param allowed empty: any
 * @param field named in the error
 * @throws {AppError} INVALID_REQUEST on the field
 */
export function requireSenderId(allowed: readonly string[], sender: string, field: string): void {
  if (allowed.length === 0 || allowed.some((each) => normalizeSenderId(each) === normalizeSenderId(sender))) return;
  throw invalidField(field, `must be a sender ID that the account may use: ${allowed.join(', ')}`);
}

/** Returns the error for a request whose account is switched off, or null if the account is on. */
export function findAccountRefusal({ isActive }: { isActive: boolean }): AppError | null {
  return isActive ? null : new AppError('FORBIDDEN', ACCOUNT_SWITCHED_OFF);
}
