import { beforeAll, describe, expect, it } from 'vitest';
import { setRate } from '../../../src/accounts/rates.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { expectErrorV2, NUMBER, post, readAccountState, sendV2 } from './requests.js';

const SMS = { to: NUMBER, from: 'Heliograph', message: 'Hello' };

const heliograph = suiteApp({ role: 'api' });
let channel: TestChannel;
let account: TestAccount;

beforeAll(async () => {
  const { prisma } = heliograph.deps;
  await setRate(prisma, { rateCardId: 'standard', kind: 'sms', callingCode: '49', priceMicros: 75_000n });
  channel = await createTestChannel(heliograph.deps);
  account = channel.account;
});

const requestEstimate = (body: unknown, caller = account, headers = {}) =>
  post(heliograph.app, '/v2/estimate', caller, body, headers);
async function estimate(body: object) {
  const response = await requestEstimate({ ...SMS, ...body });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

describe('POST /v2/estimate', () => {
  it('returns encoding, parts and price of an SMS, and sends nothing', async () => {
    const stateBefore = await readAccountState(heliograph, account);
    const response = await requestEstimate(SMS);
    expect(response.json()).toEqual({
      status: 'success',
      message: 'Nothing was sent.',
      code: 200,
      data: {
        channel: 'sms',
        message: 'Hello',
        encoding: 'gsm7',
        message_count: 1,
        parts: [{ part: 1, text: 'Hello' }],
        first_ucs2_character: null,
        recipients: [{ to: NUMBER, price: 0.01 }],
        total_price: 0.01,
        currency: 'USD',
      },
    });
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('prices each recipient by calling code and number of parts, like the send', async () => {
    const body = { ...SMS, to: [NUMBER, '4915112345678', NUMBER], message: 'x'.repeat(161) };
    const data = await estimate(body);
    expect(data).toMatchObject({
      message_count: 2,
      parts: [{ text: 'x'.repeat(153) }, { text: 'x'.repeat(8) }],
      recipients: [
        { to: NUMBER, price: 0.02 },
        { to: '4915112345678', price: 0.15 },
        { to: NUMBER, price: 0.02 },
      ],
      total_price: 0.19,
    });
    const stateBefore = (await readAccountState(heliograph, account)).balance;
    expect((await sendV2(heliograph.app, account, body)).statusCode).toBe(200);
    expect(stateBefore - (await readAccountState(heliograph, account)).balance).toBe(190_000n);
  });

  it.each([
    ['It’s here', { character: '’', code_point: 'U+2019', index: 2 }, 1],
    [`${'a'.repeat(70)}ж`, { character: 'ж', code_point: 'U+0436', index: 70 }, 2],
    ['€[]{}^~|\\ ж…', { character: 'ж', code_point: 'U+0436', index: 10 }, 1],
    ['a😀b😀', { character: '😀', code_point: 'U+1F600', index: 1 }, 1],
    ['`😀', { character: '`', code_point: 'U+0060', index: 0 }, 1],
    ['e\u0301', { character: '\u0301', code_point: 'U+0301', index: 1 }, 1],
    ['ç', { character: 'ç', code_point: 'U+00E7', index: 0 }, 1],
  ])('names the first character of %j that forces UCS-2', async (message, firstCharacter, message_count) => {
    expect(await estimate({ message })).toMatchObject({
      encoding: 'ucs2',
      message_count,
      first_ucs2_character: firstCharacter,
    });
  });

  it.each(['€uro [x] {y} ^ ~ | \\', '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ', 'a\r\nb\f'])(
    'names no such character for %j',
    async (message) => {
      expect(await estimate({ message })).toMatchObject({ encoding: 'gsm7', first_ucs2_character: null });
    },
  );

  it('counts positions in code points, even after characters outside the BMP', async () => {
    const { first_ucs2_character, message } = await estimate({ message: 'ab😀c' });
    expect([...message][first_ucs2_character.index]).toBe('😀');
  });

  it('returns one part and no encoding for WhatsApp', async () => {
    const data = await estimate({ channel: 'whatsapp', from: channel.phoneNumber, message: 'ж'.repeat(4096) });
    expect(data).toMatchObject({
      channel: 'whatsapp',
      encoding: null,
      message_count: 1,
      first_ucs2_character: null,
      total_price: 0.01,
    });
  });

  it('works without sufficient balance and for 10,000 recipients', async () => {
    const poorAccount = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const response = await requestEstimate({ ...SMS, to: Array(10_000).fill(NUMBER) }, poorAccount);
    expect(response.statusCode).toBe(200);
    expect(response.json().data).toMatchObject({ total_price: 100 });
    expect(response.json().data.recipients).toHaveLength(10_000);
  });

  it.each<[string, object]>([
    ['a recipient that is not a number', { to: '12ab' }],
    ['an empty message', { message: '' }],
    ['a message that is too long', { message: 'x'.repeat(1601) }],
    ['an invalid priority', { priority: 9 }],
    ['media without a type', { media_url: 'https://example.com/a.png' }],
    ['a time in the past', { scheduled_at: '2020-01-01T00:00:00Z' }],
    ['a validity period of 0', { validity_period: 0 }],
    ['a fallback for an SMS', { fallback: { channel: 'sms', from: 'x' } }],
    ['a WhatsApp text of 4097 characters', { channel: 'whatsapp', from: '1', message: 'x'.repeat(4097) }],
  ])('refuses %s with the error of the send', async (_, change) => {
    const body = { ...SMS, ...change };
    const [sendResponse, estimateResponse] = [await sendV2(heliograph.app, account, body), await requestEstimate(body)];
    expectErrorV2(estimateResponse, 400);
    expect(estimateResponse.json()).toEqual(sendResponse.json());
  });

  it('ignores an Idempotency-Key, because it creates nothing', async () => {
    const headers = { 'idempotency-key': 'estimate' };
    expect((await requestEstimate(SMS, account, headers)).statusCode).toBe(200);
    const sendResponse = await sendV2(heliograph.app, account, SMS, headers);
    expect(sendResponse.statusCode).toBe(200);
    expect(sendResponse.headers['idempotent-replayed']).toBeUndefined();
  });
});
