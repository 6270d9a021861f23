import { AppError, invalidField } from '../platform/errors/app-error.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { isUniqueViolation } from '../platform/store/prisma-errors.js';

/** What a rate is for: one SMS part or one WhatsApp message. */
export type RateKind = 'sms' | 'whatsapp';

/** The prices of one rate card. */
export interface RateCardPrices {
  currency: string;
  /**
   * Price of one SMS part or WhatsApp message in millionths of the card's currency unit.
   * @param callingCode such as `49`; one without a rate of its own, and `''`, have the card's default
   * @throws {Error} when the card has no default for the kind
   */
  priceMicros(kind: RateKind, callingCode: string): bigint;
}

export interface RateEntry {
  rateCardId: string;
  currency: string;
  kind: RateKind;
  /** `''` is the card's default. */
  callingCode: string;
  priceMicros: bigint;
}

const CARD_ID = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const CURRENCY = /^[A-Z]{3}$/;
const CALLING_CODE = /^([1-9]\d{0,2})?$/;

/**
 * Makes a rate card with the default prices that every card needs.
 * @throws {AppError} INVALID_REQUEST for a malformed id or currency, CONFLICT when the card exists
 */
export async function createRateCard(
  prisma: Pick<PrismaClient, 'rateCard'>,
  card: { id: string; currency: string; smsMicros: bigint; whatsappMicros: bigint },
): Promise<void> {
  if (!CARD_ID.test(card.id)) throw invalidField('id', 'must be lower-case letters, digits, "-" and "_"');
  if (!CURRENCY.test(card.currency)) throw invalidField('currency', 'must be a code of three capital letters');
  const conflict = () => new AppError('CONFLICT', `the rate card ${card.id} exists already`);
  if (await prisma.rateCard.findUnique({ where: { id: card.id } })) throw conflict();
  const rates = [
    { kind: 'sms' as const, callingCode: '', priceMicros: card.smsMicros },
    { kind: 'whatsapp' as const, callingCode: '', priceMicros: card.whatsappMicros },
  ];
  try {
    await prisma.rateCard.create({ data: { id: card.id, currency: card.currency, rates: { create: rates } } });
  } catch (error) {
    // Somebody else made it since it was looked for.
    throw isUniqueViolation(error) ? conflict() : error;
  }
}

/**
 * Sets one price of a card. Running servers go by it some seconds later.
 * @throws {AppError} INVALID_REQUEST for a malformed calling code, NOT_FOUND when there is no such card
 */
export async function setRate(
  prisma: Pick<PrismaClient, 'rate' | '$queryRaw'>,
  { priceMicros, ...key }: { rateCardId: string; kind: RateKind; callingCode: string; priceMicros: bigint },
): Promise<bigint | null> {
  if (!CALLING_CODE.test(key.callingCode)) {
    throw invalidField('callingCode', 'must be one to three digits that do not begin with 0');
  }
  // Its lock has two changes of one price wait for each other, so that each knows what it replaces.
  const cards = await prisma.$queryRaw<unknown[]>`
    SELECT 1 FROM rate_cards WHERE id = ${key.rateCardId} FOR NO KEY UPDATE`;
  if (cards.length === 0) throw new AppError('NOT_FOUND', `there is no rate card ${key.rateCardId}`);
  const before = await findRate(prisma, key);
  await prisma.rate.upsert({
    where: { rateCardId_kind_callingCode: key },
    create: { ...key, priceMicros },
    update: { priceMicros },
  });
  return before;
}

/** One price of a card; null where the card has none of its own for it. */
export async function findRate(
  prisma: Pick<PrismaClient, 'rate'>,
  key: { rateCardId: string; kind: RateKind; callingCode: string },
): Promise<bigint | null> {
  const rate = await prisma.rate.findUnique({ where: { rateCardId_kind_callingCode: key } });
  return rate?.priceMicros ?? null;
}

/**
 * Takes the price to one country away: the default of the card counts again, some seconds later.
 * @throws {AppError} INVALID_REQUEST for the default itself, NOT_FOUND when the card has no such price
 */
export async function removeRate(
  prisma: Pick<PrismaClient, 'rate'>,
  key: { rateCardId: string; kind: RateKind; callingCode: string },
): Promise<bigint> {
  if (key.callingCode === '') throw invalidField('callingCode', 'must be given: every card keeps its default prices');
  const before = await findRate(prisma, key);
  const { count } = await prisma.rate.deleteMany({ where: key });
  if (before === null || count === 0) {
    throw new AppError('NOT_FOUND', `the card ${key.rateCardId} has no price of ${key.kind} to +${key.callingCode}`);
  }
  return before;
}

/** A rate card with all of its prices. */
export interface RateCard {
  id: string;
  currency: string;
  createdAt: Date;
  /** How many accounts go by it. */
  accountCount: number;
  /** By kind and calling code, the default first. */
  rates: readonly { kind: RateKind; callingCode: string; priceMicros: bigint }[];
}

/** All rate cards, by id. */
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

/** All prices, or those of one card: by card, kind and calling code, the default first. */
export async function listRates(prisma: PrismaClient, rateCardId?: string): Promise<RateEntry[]> {
  const rates = await prisma.rate.findMany({
    where: { rateCardId },
    include: { rateCard: { select: { currency: true } } },
    orderBy: [{ rateCardId: 'asc' }, { kind: 'asc' }, { callingCode: 'asc' }],
  });
  return rates.map(({ rateCard, ...rate }) => ({ ...rate, currency: rateCard.currency }));
}

/**
 * Reads one card whole.
 * @throws {Error} when there is no such card
 */
export async function loadRateCard(prisma: PrismaClient, rateCardId: string): Promise<RateCardPrices> {
  const card = await prisma.rateCard.findUnique({ where: { id: rateCardId }, include: { rates: true } });
  if (!card) throw new Error(`there is no rate card ${rateCardId}`);
  return pricesOf(card);
}

/** The prices of a card by its rates. */
export function pricesOf({
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
