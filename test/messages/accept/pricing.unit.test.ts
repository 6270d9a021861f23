import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRateCard, setRate } from '../../../src/accounts/rates.js';
import { Pricing } from '../../../src/messages/accept/pricing.js';
import type { SendRequest } from '../../../src/messages/compose/send-request.js';
import { newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { Turns } from '../../../src/platform/turns.js';
import { suiteStore } from '../../support/for-suite.js';
import { sendRequest } from '../../support/sends.js';

describe('message prices', () => {
  const store = suiteStore();
  afterEach(() => void vi.restoreAllMocks());

  const makeCard = async () => {
    const id = `card-${newId()}`;
    await createRateCard(store.prisma, { id, currency: 'USD', smsMicros: 10_000n, whatsappMicros: 7_000n });
    return id;
  };
  const createRequest = (rateCardId: string, overrides: Partial<SendRequest> = {}): SendRequest => {
    const account = { id: newId(), apiKey: '', headers: { authorization: '' } };
    return {
      ...sendRequest(account, { to: '4915112345678' }),
      account: { ...account, currency: 'USD', rateCardId },
      ...overrides,
    };
  };
  const setPrice = (rateCardId: string, priceMicros: bigint, callingCode = '') =>
    setRate(store.prisma, { rateCardId, kind: 'sms', callingCode, priceMicros });
  const createPricing = () => new Pricing({ prisma: store.prisma, turns: new Turns() });

  it.each(['of its own', 'of a transaction'])(
    'prices follow a changed rate after 5 seconds on a connection %s',
    async (connection) => {
      const card = await makeCard();
      const pricing = createPricing();
      const priceRequest = () =>
        connection === 'of its own'
          ? pricing.price(createRequest(card), 1)
          : inTransaction(store.pool, (client) => pricing.price(createRequest(card), 1, client));
      const startedAt = performance.now();
      const now = vi.spyOn(performance, 'now').mockReturnValue(startedAt);
      expect(await priceRequest()).toEqual([10_000n]);
      await setPrice(card, 20_000n);
      now.mockReturnValue(startedAt + 4_999);
      expect(await priceRequest()).toEqual([10_000n]);
      now.mockReturnValue(startedAt + 5_000);
      expect(await priceRequest()).toEqual([20_000n]);
    },
  );

  it("a price is the rate of the recipient's calling code times the parts", async () => {
    const card = await makeCard();
    await setPrice(card, 30_000n, '351');
    const recipients = ['4915112345678', '351912345678', 'US.1'].map((digits) => ({ digits, plus: false }));
    const pricing = createPricing();
    expect(await pricing.price(createRequest(card, { recipients }), 3)).toEqual([30_000n, 90_000n, 30_000n]);
    expect(await pricing.price(createRequest(card, { recipients, kind: 'whatsapp' }), 1)).toEqual([
      7_000n,
      7_000n,
      7_000n,
    ]);
  });

  it('prices of one rate card do not affect another', async () => {
    const [one, other] = [await makeCard(), await makeCard()];
    await setPrice(other, 50_000n);
    const pricing = createPricing();
    expect(await pricing.price(createRequest(one), 1)).toEqual([10_000n]);
    expect(await pricing.price(createRequest(other), 1)).toEqual([50_000n]);
  });

  it('prices are read again after reading a rate card failed', async () => {
    const pricing = createPricing();
    const card = `card-${newId()}`;
    await expect(pricing.price(createRequest(card), 1)).rejects.toThrow(`there is no rate card ${card}`);
    await createRateCard(store.prisma, { id: card, currency: 'USD', smsMicros: 10_000n, whatsappMicros: 7_000n });
    expect(await pricing.price(createRequest(card), 1)).toEqual([10_000n]);
  });
});
