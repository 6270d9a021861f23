import { loadRateCard, type RateCardPrices } from '../../accounts/rates.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { callingCodeOf } from '../../platform/text/phone-numbers.js';
import { mapInTurns } from '../../platform/turns.js';
import type { SendRequest } from '../compose/send-request.js';

/** How long a process may go on with a rate card that an operator has changed since. */
const CARD_LIFETIME_MS = 5_000;

/** Prices sends from rate cards, which each process keeps for some seconds. */
export class Pricing {
  readonly #prisma: PrismaClient;
  readonly #cards = new Map<string, { prices: Promise<RateCardPrices>; expires: number }>();

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Price of each recipient's message in millionths of the currency unit: the rate of its calling code × parts. */
  async price(request: SendRequest, parts: number): Promise<bigint[]> {
    const card = await this.#card(request.account.rateCardId);
    const times = BigInt(parts);
    return mapInTurns(
      request.recipients,
      (recipient) => card.priceMicros(request.kind, callingCodeOf(recipient.digits) ?? '') * times,
    );
  }

  #card(id: string): Promise<RateCardPrices> {
    const known = this.#cards.get(id);
    const now = performance.now();
    if (known && known.expires > now) return known.prices;
    const prices = loadRateCard(this.#prisma, id);
    this.#cards.set(id, { prices, expires: now + CARD_LIFETIME_MS });
    prices.catch(() => this.#cards.delete(id));
    return prices;
  }
}
