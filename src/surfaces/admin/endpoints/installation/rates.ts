import { Type } from '@sinclair/typebox';
import { formatMoney, parseAmount } from '../../../../accounts/money.js';
import { createRateCard, listRateCards, type RateCard, removeRate, setRate } from '../../../../accounts/rates.js';
import { DoneData, done, ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import type { CarriersOptions } from './carriers.js';
import { NewRateCardBody, PriceBody, PricePath, RateCardData, RateCardPath } from './rates-schemas.js';

/** Prices by country calling code. */
export const rateEndpoints: Endpoints<Pick<CarriersOptions, 'prisma'>> = async (app, { prisma }) => {
  app.get(
    '/rates',
    endpoint({
      needs: 'viewer',
      of: 'installation',
      operationId: 'consoleListRateCards',
      summary: 'List the rate cards with their prices',
      data: Type.Array(RateCardData),
    }),
    async () => ok((await listRateCards(prisma)).map(view)),
  );

  app.post(
    '/rates',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleCreateRateCard',
      summary: 'Make a rate card with its default prices',
      body: NewRateCardBody,
      data: DoneData,
      errors: [409],
    }),
    async (request) => {
      const { id, currency, sms, whatsapp } = request.body;
      const smsMicros = parseAmount('sms', sms);
      const whatsappMicros = parseAmount('whatsapp', whatsapp);
      return request.change(async (change) => {
        await createRateCard(change.prisma, { id, currency, smsMicros, whatsappMicros });
        const after = { currency, sms, whatsapp };
        return { result: done(), told: { action: 'rateCard.create', subject: id, after } };
      });
    },
  );

  app.put(
    '/rates/:card/prices',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleSetPrice',
      summary: 'Set one price of a rate card',
      description: 'Every process goes by it some seconds later; what was accepted keeps its price.',
      params: RateCardPath,
      body: PriceBody,
      data: DoneData,
    }),
    async (request) => {
      const { kind, callingCode, price } = request.body;
      const key = { rateCardId: request.params.card, kind, callingCode: callingCode ?? '' };
      const priceMicros = parseAmount('price', price);
      return request.change(async (change) => {
        const was = await setRate(change.prisma, { ...key, priceMicros });
        const before = was === null ? null : { kind, callingCode, price: formatMoney(was) };
        const after = { kind, callingCode, price: formatMoney(priceMicros) };
        const told = { action: 'rate.set', subject: key.rateCardId, before, after };
        return { result: done(), told: was === priceMicros ? null : told };
      });
    },
  );

  app.delete(
    '/rates/:card/prices/:kind/:callingCode',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleRemovePrice',
      summary: 'Take the price to a country away: the default counts again',
      params: PricePath,
      data: DoneData,
    }),
    async (request) => {
      const { card, kind, callingCode } = request.params;
      const key = { rateCardId: card, kind, callingCode };
      return request.change(async (change) => {
        const before = { kind, callingCode, price: formatMoney(await removeRate(change.prisma, key)) };
        return { result: done(), told: { action: 'rate.remove', subject: card, before } };
      });
    },
  );
};

function view({ id, currency, accountCount, createdAt, rates }: RateCard) {
  const prices = rates.map(({ kind, callingCode, priceMicros }) => {
    return { kind, callingCode: callingCode || null, price: formatMoney(priceMicros) };
  });
  return { id, currency, accountCount, createdAt: createdAt.toISOString(), prices };
}
