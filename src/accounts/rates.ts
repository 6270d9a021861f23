import { AppError, invalidField } from '../platform/errors/app-error.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { isUniqueViolation } from '../platform/store/prisma-errors.js';

export type RateKind = 'sms' | 'whatsapp';

export interface RateCardPrices {
  currency: string;
  /**
   * Returns a price in millionths of the currency unit. Calling codes without a rate get the default price.
   */
  priceMicros(kind: RateKind, callingCode: string): bigint;
}

export interface RateEntry {
  rateCardId: string;
  currency: string;
  kind: RateKind;
  callingCode: string;
  priceMicros: bigint;
}

const CARD_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const CURRENCY = /^[A-Z]{3}$/;
const CALLING_CODE = /^([1-9]\d{0,2})?$/;

/** @throws {AppError} INVALID_REQUEST, CONFLICT */
export async function createRateCard(
  prisma: Pick<PrismaClient, 'rateCard'>,
  card: { id: string; currency: string; smsMicros: bigint; whatsappMicros: bigint },
): Promise<void> {
  if (!CARD_ID.test(card.id)) throw invalidField('id', 'must be lower-case letters, digits, "-" and "_"');
  if (!CURRENCY.test(card.currency)) throw invalidField('currency', 'must be a code of three capital letters');
  const createConflict = () => new AppError('CONFLICT', `the rate card ${card.id} already exists`);
  if (await prisma.rateCard.findUnique({ where: { id: card.id } })) throw createConflict();
  const rates = [
    { kind: 'sms' as const, callingCode: '', priceMicros: card.smsMicros },
    { kind: 'whatsapp' as const, callingCode: '', priceMicros: card.whatsappMicros },
  ];
  try {
    await prisma.rateCard.create({ data: { id: card.id, currency: card.currency, rates: { create: rates } } });
  } catch (error) {
    // A unique violation means that a concurrent request created the rate card first.
    throw isUniqueViolation(error) ? createConflict() : error;
  }
}

/** Returns the replaced price. @throws {AppError} INVALID_REQUEST, NOT_FOUND */
export async function setRate(
  prisma: Pick<PrismaClient, 'rate' | '$queryRaw'>,
  { priceMicros, ...key }: { rateCardId: string; kind: RateKind; callingCode: string; priceMicros: bigint },
): Promise<bigint | null> {
  if (!CALLING_CODE.test(key.callingCode)) {
    throw invalidField('callingCode', 'must be one to three digits that do not start with 0');
  }
  // Lock the rate card, so that concurrent changes of a price each read the price that they replace.
  const cards = await prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM rate_cards WHERE id = ${key.rateCardId} FOR NO KEY UPDATE`;
  if (cards.length === 0) throw new AppError('NOT_FOUND', `there is no rate card ${key.rateCardId}`);
  const previousPrice = await findRate(prisma, key);
  await prisma.rate.upsert({
    where: { rateCardId_kind_callingCode: key },
    create: { ...key, priceMicros },
    update: { priceMicros },
  });
  return previousPrice;
}

export async function findRate(
  prisma: Pick<PrismaClient, 'rate'>,
  key: { rateCardId: string; kind: RateKind; callingCode: string },
): Promise<bigint | null> {
  const rate = await prisma.rate.findUnique({ where: { rateCardId_kind_callingCode: key } });
  return rate?.priceMicros ?? null;
}

/** Returns the removed price. @throws {AppError} INVALID_REQUEST, NOT_FOUND */
export async function removeRate(
  prisma: Pick<PrismaClient, 'rate'>,
  key: { rateCardId: string; kind: RateKind; callingCode: string },
): Promise<bigint> {
  if (key.callingCode === '')
    throw invalidField('callingCode', 'is required: the default prices of a card cannot be removed');
  const previousPrice = await findRate(prisma, key);
  const { count } = await prisma.rate.deleteMany({ where: key });
  if (previousPrice === null || count === 0) {
    throw new AppError('NOT_FOUND', `the card ${key.rateCardId} has no ${key.kind} price for +${key.callingCode}`);
  }
  return previousPrice;
}

export interface RateCard {
  id: string;
  currency: string;
  createdAt: Date;
  accountCount: number;
  rates: readonly { kind: RateKind; callingCode: string; priceMicros: bigint }[];
}

export async function listRateCards(prisma: Pick<PrismaClient, 'rateCard'>): Promise<RateCard[]> {
  const cards = await prisma.rateCard.findMany({
    include: {
      rates: { orderBy: [{ kind: 'asc' }, { callingCode: 'asc' }], omit: { rateCardId: true } },
      _count: { select: { accounts: true } },
    },
    orderBy: { id: 'asc' },
  });
  return cards.map(({ _count, ...card }) => ({ ...card, accountCount: _count.accounts }));
}

/** Lists rates by rate card, kind and calling code, with the default price of each kind first. */
export async function listRates(prisma: PrismaClient, rateCardId?: string): Promise<RateEntry[]> {
  const rates = await prisma.rate.findMany({
    where: { rateCardId },
    include: { rateCard: { select: { currency: true } } },
    orderBy: [{ rateCardId: 'asc' }, { kind: 'asc' }, { callingCode: 'asc' }],
  });
  return rates.map(({ rateCard, ...rate }) => ({ ...rate, currency: rateCard.currency }));
}

export async function loadRateCard(prisma: PrismaClient, rateCardId: string): Promise<RateCardPrices> {
  const card = await prisma.rateCard.findUnique({ where: { id: rateCardId }, include: { rates: true } });
  if (!card) throw new Error(`there is no rate card ${rateCardId}`);
  return toPrices(card);
}

export function toPrices({
  id,
  currency,
  rates,
}: {
  id: string;
  currency: string;
  rates: readonly Pick<RateEntry, 'kind' | 'callingCode' | 'priceMicros'>[];
}): RateCardPrices {
  const prices = new Map(rates.map((rate) => [`${rate.kind}:${rate.callingCode}`, rate.priceMicros]));
  return {
    currency,
    priceMicros(kind, callingCode) {
      const price = prices.get(`${kind}:${callingCode}`) ?? prices.get(`${kind}:`);
      if (price === undefined) throw new Error(`the rate card ${id} has no default price for ${kind}`);
      return price;
    },
  };
}
