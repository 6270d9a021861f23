import type pg from 'pg';
import { readRateCard } from '../../accounts/rate-store.js';
import { loadRateCard, type RateCardPrices } from '../../accounts/rates.js';
import { callingCodeOf } from '../../carriers/numbers/phone-numbers.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { Turns } from '../../platform/turns.js';
import type { SendRequest } from '../compose/send-request.js';

/** How long a process may go on with a rate card that an operator has changed since. */
const CARD_LIFETIME_MS = 5_000;

interface Card {
  prices: Promise<RateCardPrices>;
  /** The same, once it is read. */
  read: RateCardPrices | null;
  expires: number;
}

/** Prices sends from rate cards, which each process keeps for some seconds. */
export class Pricing {
  readonly #prisma: PrismaClient;
  readonly #turns: Turns;
  readonly #cards = new Map<string, Card>();

  constructor({ prisma, turns }: { prisma: PrismaClient; turns: Turns }) {
    this.#prisma = prisma;
    this.#turns = turns;
  }

  /**
   * Price of each recipient's message in millionths of the currency unit: the rate of its calling code × parts.
   * @param client of the transaction that the caller is in: what must be read is read there
   */
  async price(request: SendRequest, parts: number, client?: pg.PoolClient): Promise<bigint[]> {
    const { rateCardId } = request.account;
    const card = await (client ? this.#cardWithin(client, rateCardId) : this.#card(rateCardId));
    const times = BigInt(parts);
    return this.#turns.map(
      request.recipients,
      (recipient) => card.priceMicros(request.kind, callingCodeOf(recipient.digits) ?? '') * times,
    );
  }

  #card(id: string): Promise<RateCardPrices> {
    return this.#known(id)?.prices ?? this.#keep(id, loadRateCard(this.#prisma, id));
  }

  /** One that others are about to read waits for a connection: within a transaction nobody waits for that. */
  #cardWithin(client: pg.PoolClient, id: string): Promise<RateCardPrices> {
    const read = this.#known(id)?.read;
    return read ? Promise.resolve(read) : this.#keep(id, readRateCard(client, id));
  }

  #known(id: string): Card | null {
    const known = this.#cards.get(id);
    return known && known.expires > performance.now() ? known : null;
  }

  #keep(id: string, prices: Promise<RateCardPrices>): Promise<RateCardPrices> {
    const card: Card = { prices, read: null, expires: performance.now() + CARD_LIFETIME_MS };
    this.#cards.set(id, card);
    prices.then(
      (read) => {
        card.read = read;
      },
      () => {
        if (this.#cards.get(id) === card) this.#cards.delete(id);
      },
    );
    return prices;
  }
}
