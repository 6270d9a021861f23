import { beforeAll, describe, expect, it } from 'vitest';
import {
  createRateCard,
  listRateCards,
  listRates,
  loadRateCard,
  removeRate,
  setRate,
} from '../../src/accounts/rates.js';
import { suiteStore } from '../support/for-suite.js';

const store = suiteStore();

describe('the standard rate card', () => {
  it('exists from the start, with 0.01 USD per SMS part and WhatsApp message', async () => {
    const card = await loadRateCard(store.prisma, 'standard');
    expect(card.currency).toBe('USD');
    expect(card.priceMicros('sms', '49')).toBe(10_000n);
    expect(card.priceMicros('whatsapp', '1')).toBe(10_000n);
  });
});

describe('removeRate', () => {
  it('removes one price and keeps those of other kinds, calling codes and cards', async () => {
    const prices = [
      { rateCardId: 'one', kind: 'sms', callingCode: '351' },
      { rateCardId: 'one', kind: 'whatsapp', callingCode: '351' },
      { rateCardId: 'one', kind: 'sms', callingCode: '49' },
      { rateCardId: 'other', kind: 'sms', callingCode: '351' },
    ] as const;
    for (const id of ['one', 'other']) {
      await createRateCard(store.prisma, { id, currency: 'EUR', smsMicros: 1n, whatsappMicros: 2n });
    }
    for (const price of prices) await setRate(store.prisma, { ...price, priceMicros: 75_000n });
    expect(await removeRate(store.prisma, prices[0])).toBe(75_000n);
    const remaining = [...(await listRates(store.prisma, 'one')), ...(await listRates(store.prisma, 'other'))];
    const countryPrices = remaining.filter(({ callingCode }) => callingCode !== '');
    expect(countryPrices.map(({ rateCardId, kind, callingCode }) => `${rateCardId} ${kind} ${callingCode}`)).toEqual([
      'one sms 49',
      'one whatsapp 351',
      'other sms 351',
    ]);
  });
});

describe('a rate card', () => {
  beforeAll(() =>
    createRateCard(store.prisma, { id: 'euro', currency: 'EUR', smsMicros: 20_000n, whatsappMicros: 30_000n }),
  );

  it('has prices by kind and calling code, and a default for every other code', async () => {
    await setRate(store.prisma, { rateCardId: 'euro', kind: 'sms', callingCode: '49', priceMicros: 75_000n });
    const card = await loadRateCard(store.prisma, 'euro');
    expect(card.priceMicros('sms', '49')).toBe(75_000n);
    expect(card.priceMicros('whatsapp', '49')).toBe(30_000n);
    expect(card.priceMicros('sms', '4')).toBe(20_000n);
    expect(card.priceMicros('sms', '')).toBe(20_000n);
  });

  it('uses the price that was set last', async () => {
    await setRate(store.prisma, { rateCardId: 'euro', kind: 'sms', callingCode: '33', priceMicros: 1n });
    await setRate(store.prisma, { rateCardId: 'euro', kind: 'sms', callingCode: '33', priceMicros: 0n });
    expect((await loadRateCard(store.prisma, 'euro')).priceMicros('sms', '33')).toBe(0n);
  });

  it('uses its default price after a price is removed, and never loses the default', async () => {
    const key = { rateCardId: 'euro', kind: 'sms' as const, callingCode: '31' };
    await setRate(store.prisma, { ...key, priceMicros: 1n });
    await removeRate(store.prisma, key);
    expect((await loadRateCard(store.prisma, 'euro')).priceMicros('sms', '31')).toBe(20_000n);
    await expect(removeRate(store.prisma, key)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(removeRate(store.prisma, { ...key, callingCode: '' })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    });
  });

  it('is listed with all of its prices and the number of its accounts', async () => {
    const allCards = await listRateCards(store.prisma);
    const cards = allCards.filter(({ id }) => ['euro', 'standard'].includes(id));
    expect(cards.map(({ id }) => id)).toEqual(['euro', 'standard']);
    expect(cards[0]).toMatchObject({ currency: 'EUR', accountCount: 0 });
    expect(cards[0]?.rates[0]).toEqual({ kind: 'sms', callingCode: '', priceMicros: 20_000n });
  });

  it('lists its default price first', async () => {
    const rates = await listRates(store.prisma, 'euro');
    expect(rates[0]).toEqual({
      rateCardId: 'euro',
      currency: 'EUR',
      kind: 'sms',
      callingCode: '',
      priceMicros: 20_000n,
    });
    expect((await listRates(store.prisma)).map((rate) => rate.rateCardId)).toContain('standard');
  });

  it('cannot be created twice', async () => {
    const duplicate = { id: 'euro', currency: 'USD', smsMicros: 1n, whatsappMicros: 1n };
    await expect(createRateCard(store.prisma, duplicate)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await loadRateCard(store.prisma, 'euro')).currency).toBe('EUR');
  });
});

describe('rate cards refuse', () => {
  it.each(['0', '049', '1234', '+49', 'x', '4 '])('the malformed calling code "%s"', async (callingCode) => {
    const rate = { rateCardId: 'standard', kind: 'sms' as const, callingCode, priceMicros: 1n };
    await expect(setRate(store.prisma, rate)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('a price on an unknown card, and loading that card', async () => {
    const rate = { rateCardId: 'none', kind: 'sms' as const, callingCode: '', priceMicros: 1n };
    await expect(setRate(store.prisma, rate)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(loadRateCard(store.prisma, 'none')).rejects.toThrow('there is no rate card none');
  });

  it('a card with a malformed id or currency', async () => {
    const prices = { smsMicros: 1n, whatsappMicros: 1n };
    await expect(createRateCard(store.prisma, { id: 'A B', currency: 'EUR', ...prices })).rejects.toThrow(/^id must/);
    await expect(createRateCard(store.prisma, { id: 'ab', currency: 'euro', ...prices })).rejects.toThrow(
      /^currency must/,
    );
  });

  it('a price for a kind without a default', async () => {
    await store.prisma.rateCard.create({ data: { id: 'bare', currency: 'USD' } });
    const card = await loadRateCard(store.prisma, 'bare');
    expect(() => card.priceMicros('sms', '49')).toThrow('the rate card bare has no default price for sms');
  });
});
