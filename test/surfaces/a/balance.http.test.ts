import { describe, expect, it } from 'vitest';
import { creditAccount } from '../../../src/accounts/accounts.js';
import { MAX_MICROS } from '../../../src/accounts/money.js';
import { createRateCard } from '../../../src/accounts/rates.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import {
  expectErrorV1,
  expectErrorV2,
  get,
  ISO_MILLISECONDS,
  post,
  readAccountState,
  SMS,
  sendSms,
  sendV2,
} from './requests.js';

const heliograph = suiteApp();

const URL = '/v1.0/account/balance';
const getBalance = async (account: TestAccount) => (await get(heliograph.app, URL, account)).json();

describe('Balance (Surface A)', () => {
  it('returns status, balance, currency and last_updated in ISO 8601', async () => {
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

  it('falls by exactly price × parts before the send returns', async () => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 1_000_000n });
    await sendSms(heliograph.app, account, { ...SMS, to: '15005550111,15005550112', message: 'x'.repeat(161) });
    expect((await getBalance(account)).balance).toBe(0.96);
    await sendV2(heliograph.app, account, { ...SMS, message: 'x' });
    expect((await getBalance(account)).balance).toBe(0.95);
  });

  it('returns the time of the last balance change as last_updated', async () => {
    const account = await createTestAccount(heliograph.deps);
    const timeBefore = (await getBalance(account)).last_updated;
    expect((await getBalance(account)).last_updated).toBe(timeBefore);
    await creditAccount(heliograph.deps.prisma, { accountId: account.id, amountMicros: 1n });
    expect(Date.parse((await getBalance(account)).last_updated)).toBeGreaterThanOrEqual(Date.parse(timeBefore));
    const { balanceChangedAt } = await heliograph.deps.prisma.account.findUniqueOrThrow({ where: { id: account.id } });
    expect((await getBalance(account)).last_updated).toBe(balanceChangedAt.toISOString());
  });

  it('returns the same for POST and in version 2, with an empty object, no body, or an empty body', async () => {
    const account = await createTestAccount(heliograph.deps);
    const expected = await getBalance(account);
    const headers = { ...account.headers, 'content-type': 'application/json' };
    for (const url of [URL, '/v2/account/balance']) {
      expect((await get(heliograph.app, `${url}?any=x`, account)).json()).toEqual(expected);
      for (const payload of ['{}', '', undefined]) {
        const response = await heliograph.app.inject({ method: 'POST', url, headers, payload });
        expect(response.json()).toEqual(expected);
        expect(response.statusCode).toBe(200);
      }
      const responseWithoutBody = await heliograph.app.inject({ method: 'POST', url, headers: account.headers });
      expect(responseWithoutBody.json()).toEqual(expected);
    }
    const responseToInvalidJson = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/account/balance',
      headers,
      payload: '{',
    });
    expectErrorV2(responseToInvalidJson, 400, []);
  });

  it('accepts an empty JSON object as body, and a Content-Type header without a body', async () => {
    const account = await createTestAccount(heliograph.deps);
    const headers = { ...account.headers, 'content-type': 'application/json' };
    for (const payload of ['{}', undefined]) {
      const response = await heliograph.app.inject({ method: 'GET', url: URL, headers, payload });
      expect(response.json()).toMatchObject({ status: 'success', balance: 100 });
    }
  });
});

describe('last_updated', () => {
  it('never goes back, even if the clock of a process is behind', async () => {
    const account = await createTestAccount(heliograph.deps);
    const inOneHour = new Date(Date.now() + 3_600_000);
    const { prisma } = heliograph.deps;
    await prisma.account.update({ where: { id: account.id }, data: { balanceChangedAt: inOneHour } });
    const twoRecipients = { ...SMS, to: '15005550111,15005550112' };
    const manyRecipients = { ...SMS, to: Array.from({ length: 501 }, () => '15005550111').join(',') };
    for (const send of [SMS, twoRecipients, manyRecipients])
      expect((await sendSms(heliograph.app, account, send)).statusCode).toBe(200);
    const responseWithKey = await post(heliograph.app, '/v1.0/sms/send', account, SMS, { 'idempotency-key': 'later' });
    expect(responseWithKey.statusCode).toBe(200);
    await creditAccount(prisma, { accountId: account.id, amountMicros: 1n });
    const response = await heliograph.app.inject({ method: 'GET', url: URL, headers: account.headers });
    expect(response.json().last_updated).toBe(inOneHour.toISOString());
  });
});

describe('prices near the maximum of a balance', () => {
  const UNITS = 1_000_000_000_000n * 1_000_000n;

  it('are exact, and a request that costs more than any balance gets 402', async () => {
    const { prisma } = heliograph.deps;
    await createRateCard(prisma, { id: 'dear', currency: 'USD', smsMicros: UNITS, whatsappMicros: UNITS });
    const account = await createTestAccount(heliograph.deps);
    await prisma.account.update({
      where: { id: account.id },
      data: { rateCardId: 'dear', balanceMicros: MAX_MICROS },
    });
    const smsTo = (count: number) => ({ ...SMS, to: Array.from({ length: count }, () => '15005550111').join(',') });
    const { to: numbers, ...otherFields } = smsTo(10);
    for (const count of [10, 501]) {
      const expectedMessage = expect.stringContaining(`it costs ${count}000000000000.00 USD`);
      expectErrorV1(await sendSms(heliograph.app, account, smsTo(count)), 402, expectedMessage);
    }
    expectErrorV2(await sendV2(heliograph.app, account, { ...otherFields, to: numbers.split(',') }), 402, []);
    const [cheapResponse, ...expensiveResponses] = await Promise.all(
      [9, 10, 10].map((n) => sendSms(heliograph.app, account, smsTo(n))),
    );
    expect(cheapResponse?.statusCode).toBe(200);
    expect(expensiveResponses.map(({ statusCode }) => statusCode)).toEqual([402, 402]);
    expect(await readBalance(heliograph.deps, account.id)).toBe(MAX_MICROS - 9n * UNITS);
  });

  it('make a credit beyond the maximum balance fail with a reason', async () => {
    const { prisma } = heliograph.deps;
    const account = await createTestAccount(heliograph.deps);
    await prisma.account.update({ where: { id: account.id }, data: { balanceMicros: MAX_MICROS - 1n } });
    await creditAccount(prisma, { accountId: account.id, amountMicros: 1n });
    const creditBeyondMaximum = creditAccount(prisma, { accountId: account.id, amountMicros: 1n });
    await expect(creditBeyondMaximum).rejects.toThrow(
      'amount would raise the balance above the maximum of 9223372036854.775807',
    );
  });
});

describe('an insufficient balance', () => {
  it('causes a 402 in the format of v1.0 and of v2, and nothing is queued or charged', async () => {
    const account = await createTestAccount(heliograph.deps, { creditMicros: 19_999n });
    const stateBefore = await readAccountState(heliograph, account);
    const expectedMessage =
      'The balance of the account is too low for this request: it costs 0.02 USD, and the balance is 0.019999 USD.';
    const v1Response = await sendSms(heliograph.app, account, { ...SMS, to: '15005550111,15005550112' });
    expectErrorV1(v1Response, 402, expectedMessage);
    const v2Response = await sendV2(heliograph.app, account, { ...SMS, message: 'x'.repeat(161) });
    expectErrorV2(v2Response, 402, [], expectedMessage);
    expect(v2Response.json().data.funds).toEqual({ needed: 0.02, available: 0.019999, currency: 'USD' });
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
    expect((await sendSms(heliograph.app, account, SMS)).statusCode).toBe(200);
  });
});
