import { formatMoney, parseAmount } from '../../../../accounts/money.js';
import { createRateCard, listRateCards, type RateCard, removeRate, setRate } from '../../../../accounts/rates.js';
import { done, ok } from '../../answers.js';
import { RATES } from '../../contract/installation/rates.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import type { CarriersOptions } from './carriers.js';

export const rateEndpoints: Endpoints<Pick<CarriersOptions, 'prisma'>> = async (app, { prisma }) => {
  const route = registerRoutes(app, RATES);
  route('GET /rates', async () => ok((await listRateCards(prisma)).map(toCardData)));

  route('POST /rates', async (request) => {
    const { id, currency, sms, whatsapp } = request.body;
    const smsMicros = parseAmount('sms', sms);
    const whatsappMicros = parseAmount('whatsapp', whatsapp);
    return request.change(async (change) => {
      await createRateCard(change.prisma, { id, currency, smsMicros, whatsappMicros });
      const after = { currency, sms, whatsapp };
      return { result: done(), audit: { action: 'rateCard.create', subject: id, after } };
    });
  });

  route('PUT /rates/:card/prices', async (request) => {
    const { kind, callingCode, price } = request.body;
    const key = { rateCardId: request.params.card, kind, callingCode: callingCode ?? '' };
    const priceMicros = parseAmount('price', price);
    return request.change(async (change) => {
      const previous = await setRate(change.prisma, { ...key, priceMicros });
      const before = previous === null ? null : { kind, callingCode, price: formatMoney(previous) };
      const after = { kind, callingCode, price: formatMoney(priceMicros) };
      const auditEntry = { action: 'rate.set', subject: key.rateCardId, before, after };
      return { result: done(), audit: previous === priceMicros ? null : auditEntry };
    });
  });

  route('DELETE /rates/:card/prices/:kind/:callingCode', async (request) => {
    const { card, kind, callingCode } = request.params;
    const key = { rateCardId: card, kind, callingCode };
    return request.change(async (change) => {
      const before = { kind, callingCode, price: formatMoney(await removeRate(change.prisma, key)) };
      return { result: done(), audit: { action: 'rate.remove', subject: card, before } };
    });
  });
};

function toCardData({ id, currency, accountCount, createdAt, rates }: RateCard) {
  const prices = rates.map(({ kind, callingCode, priceMicros }) => {
    return { kind, callingCode: callingCode || null, price: formatMoney(priceMicros) };
  });
  return { id, currency, accountCount, createdAt: createdAt.toISOString(), prices };
}
