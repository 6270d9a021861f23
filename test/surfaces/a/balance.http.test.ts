import { describe, expect, it } from 'vitest';
import { creditAccount } from '../../../src/accounts/accounts.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import { expectErrorV1, expectErrorV2, get, ISO_MILLISECONDS, SMS, sendSms, sendV2, stateOf } from './requests.js';

const heliograph = suiteApp();

const URL = '/v1.0/account/balance';
const balance = async (account: TestAccount) => (await get(heliograph.app, URL, account)).json();

describe('Balance (Surface A)', () => {
  it("status 'success', balance (number), currency (code), last_updated (ISO 8601 UTC)", async () => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 12_345_600n });
    const response = await get(heliograph.app, URL, account);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      status: 'success',
      balance: 12.3456,
      currency: 'USD',
      last_updated: expect.stringMatching(ISO_MILLISECONDS),
    });
  });

  it('balance | falls by price × parts, exactly, as soon as a send is answered', async () => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 1_000_000n });
    await sendSms(heliograph.app, account, { ...SMS, to: '15005550111,15005550112', message: 'x'.repeat(161) });
    expect((await balance(account)).balance).toBe(0.96);
    await sendV2(heliograph.app, account, { ...SMS, message: 'x' });
    expect((await balance(account)).balance).toBe(0.95);
  });

  it('last_updated | time of the last balance change', async () => {
    const account = await createTestAccount(heliograph.deps);
    const before = (await balance(account)).last_updated;
    expect((await balance(account)).last_updated).toBe(before);
    await creditAccount(heliograph.deps.prisma, { accountId: account.id, amountMicros: 1n });
    expect(Date.parse((await balance(account)).last_updated)).toBeGreaterThanOrEqual(Date.parse(before));
    const { balanceChangedAt } = await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
    expect((await balance(account)).last_updated).toBe(balanceChangedAt.toISOString());
  });

  it('an empty JSON object body may be sent, and so may the header without a body', async () => {
    const account = await createTestAccount(heliograph.deps);
    const headers = { ...account.headers, 'content-type': 'application/json' };
    for (const payload of ['{}', undefined]) {
      const response = await heliograph.app.inject({ method: 'GET', url: URL, headers, payload });
      expect(response.json()).toMatchObject({ status: 'success', balance: 100 });
    }
  });
});

describe('too little balance', () => {
  it('402 in the shape of v1.0 and of v2; nothing is queued or charged', async () => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 19_999n });
    const before = await stateOf(heliograph, account);
    expectErrorV1(await sendSms(heliograph.app, account, { ...SMS, to: '15005550111,15005550112' }), 402);
    expectErrorV2(await sendV2(heliograph.app, account, { ...SMS, message: 'x'.repeat(161) }), 402, []);
    expect(await stateOf(heliograph, account)).toEqual(before);
    expect((await sendSms(heliograph.app, account, SMS)).statusCode).toBe(200);
  });
});
