import type pg from 'pg';
import { readRateCard } from '../../accounts/rate-store.js';
import { loadRateCard, type RateCardPrices } from '../../accounts/rates.js';
import { findCallingCode } from '../../carriers/numbers/phone-numbers.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { Turns } from '../../platform/turns.js';
import type { SendRequest } from '../compose/send-request.js';

/** A rate change by an operator takes effect within this time. */
const CARD_LIFETIME_MS = 5_000;

interface Card {
  prices: Promise<RateCardPrices>;
  /** Null until `prices` resolves. */
  loaded: RateCardPrices | null;
  expires: number;
}

export class Pricing {
  readonly #prisma: PrismaClient;
  readonly #turns: Turns;
  readonly #cards = new Map<string, Card>();

  constructor({ prisma, turns }: { prisma: PrismaClient; turns: Turns }) {
    this.#prisma = prisma;
    this.#turns = turns;
  }

  /**
   * Prices each recipient's message, in millionths of the currency unit.
   * @param client connection of the caller's transaction, used to read an uncached rate card
   */
  async price(request: SendRequest, parts: number, client?: pg.PoolClient): Promise<bigint[]> {
    const { rateCardId } = request.account;
    const card = await (client ? this.#loadCardWithin(client, rateCardId) : this.#loadCard(rateCardId));
    const partCount = BigInt(parts);
    return this.#turns.map(
      request.recipients,
      (recipient) => card.priceMicros(request.kind, findCallingCode(recipient.digits) ?? '') * partCount,
    );
  }

  #loadCard(id: string): Promise<RateCardPrices> {
    return this.#findCached(id)?.prices ?? this.#cacheCard(id, loadRateCard(this.#prisma, id));
  }

  /** Does not wait for another caller's pending read, because a transaction must not wait for a second connection. */
  #loadCardWithin(client: pg.PoolClient, id: string): Promise<RateCardPrices> {
    const loaded = this.#findCached(id)?.loaded;
    return loaded ? Promise.resolve(loaded) : this.#cacheCard(id, readRateCard(client, id));
  }

  #findCached(id: string): Card | null {
    const card = this.#cards.get(id);
    return card && card.expires > performance.now() ? card : null;
  }

  #cacheCard(id: string, prices: Promise<RateCardPrices>): Promise<RateCardPrices> {
    const card: Card = { prices, loaded: null, expires: performance.now() + CARD_LIFETIME_MS };
    this.#cards.set(id, card);
    prices.then(
      (loaded) => {
        card.loaded = loaded;
      },
      () => {
        if (this.#cards.get(id) === card) this.#cards.delete(id);
      },
    );
    return prices;
  }
}
