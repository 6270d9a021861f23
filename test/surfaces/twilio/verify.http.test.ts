import { beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../../src/features/verifications/services/services.js';
import { parseSid, toSid } from '../../../src/platform/text/sids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { makeWrongCode, recordSentTexts } from '../../support/carriers/sent-texts.js';
import { addCodeTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { ManualClock } from '../../support/manual-clock.js';
import { retryUntilAvailable } from '../../support/retry-until-available.js';
import { suiteApp } from '../../support/suite.js';
import { buildAccountAuth } from '../../support/twilio-calls.js';
import { post } from '../a/requests.js';

const clock = new ManualClock();
const heliograph = suiteApp({ clock });
const { waitForText, waitForCode } = recordSentTexts(heliograph);
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
let account: TestAccount;
let channel: TestChannel;
let defaultService: string;
let lastNumber = 0;
const freshNumber = () => `+1500555${String(3000 + lastNumber++)}`;

const callService = (
  path: string,
  form?: Record<string, string>,
  {
    caller = account,
    serviceSid = defaultService,
    headers = {},
  }: { caller?: TestAccount; serviceSid?: string; headers?: Record<string, string> } = {},
) =>
  heliograph.app.inject({
    method: form ? 'POST' : 'GET',
    url: `/v2/Services/${serviceSid}${path}`,
    headers: {
      ...buildAccountAuth(caller),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form && { payload: new URLSearchParams(form).toString() }),
  });
const create = (To: string, overrides: Record<string, string> = {}) =>
  callService('/Verifications', { To, Channel: 'sms', ...overrides });
const check = (To: string, Code: string) => callService('/VerificationCheck', { To, Code });
const listAttemptSids = (response: { json(): { send_code_attempts: { attempt_sid: string }[] } }) =>
  response.json().send_code_attempts.map(({ attempt_sid: sid }) => parseSid(sid, 'VL') as string);
const readCode = async (response: Awaited<ReturnType<typeof create>>) => {
  expect(response.statusCode, response.body).toBe(201);
  return waitForCode(listAttemptSids(response).at(-1) as string);
};
const createServiceSid = async (owner: TestAccount, overrides: object = {}) => {
  const input = { accountId: owner.id, type: 'verify' as const, appName: 'Acme', sender: 'Heliograph', ...overrides };
  return toSid('VA', (await createService(heliograph.deps.prisma, input, clock.now())).service.id);
};

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  account = channel.account;
  await addCodeTemplate(heliograph, channel);
  defaultService = await createServiceSid(account, {
    locale: 'de',
    whatsappFrom: channel.phoneNumber,
    template: 'sign_in',
  });
});

describe('POST Verifications', () => {
  it('sends a code, returns all fields of a verification, and resends the code while it is valid', async () => {
    const to = freshNumber();
    const firstResponse = await create(to);
    const code = await readCode(firstResponse);
    const { sid, ...otherFields } = firstResponse.json();
    expect(sid).toMatch(/^VE[0-9a-f]{32}$/);
    expect(otherFields).toEqual({
      service_sid: defaultService,
      account_sid: toSid('AC', account.id),
      to,
      channel: 'sms',
      status: 'pending',
      valid: false,
      lookup: {},
      amount: null,
      payee: null,
      send_code_attempts: [{ attempt_sid: expect.stringMatching(/^VL[0-9a-f]{32}$/), channel: 'sms', time: ISO }],
      sna: null,
      date_created: ISO,
      date_updated: ISO,
      url: `/v2/Services/${defaultService}/Verifications/${sid}`,
    });
    expect(firstResponse.body).not.toContain(code);
    const repeatedResponse = await create(to, { Locale: 'en', CustomFriendlyName: 'Shop', AppHash: 'FA+9qCX9VSu' });
    expect(repeatedResponse.json()).toMatchObject({ sid });
    expect(listAttemptSids(repeatedResponse)).toHaveLength(2);
    expect(await waitForText(listAttemptSids(firstResponse)[0] as string)).toBe(
      `Dein Code für Acme ist ${code}. Gib ihn nicht weiter.`,
    );
    expect(await waitForText(listAttemptSids(repeatedResponse)[1] as string)).toBe(
      `Your Shop code is ${code}. Do not share it with anyone.\n\nFA+9qCX9VSu`,
    );
    const fetchResponse = await callService(`/Verifications/${sid}`);
    expect([fetchResponse.statusCode, fetchResponse.json()]).toEqual([200, repeatedResponse.json()]);
  });

  it('sends by WhatsApp with the template of the service', async () => {
    const response = await create(freshNumber(), { Channel: 'whatsapp' });
    expect(response.json()).toMatchObject({ channel: 'whatsapp' });
    expect(await waitForText(listAttemptSids(response)[0] as string)).toMatch(
      /^\*\d{6}\* is your verification code\.$/,
    );
  });

  it('repeats the response for an idempotency token', async () => {
    const to = freshNumber();
    const headers = { 'i-twilio-idempotency-token': 'once' };
    const form = { To: to, Channel: 'sms' };
    const firstResponse = await callService('/Verifications', form, { headers });
    const secondResponse = await callService('/Verifications', form, { headers });
    expect(secondResponse.json()).toEqual(firstResponse.json());
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
  });

  it('repeats the response for concurrent requests with the same idempotency token', async () => {
    const to = freshNumber();
    for (let sends = 1; sends <= 4; sends++) expect((await create(to)).statusCode).toBe(201);
    const headers = { 'i-twilio-idempotency-token': 'the-fifth' };
    const form = { To: to, Channel: 'sms' };
    // On a slow machine, some requests time out and are repeated.
    const requestCode = () => retryUntilAvailable(() => callService('/Verifications', form, { headers }));
    const responses = await Promise.all(Array.from({ length: 64 }, requestCode));
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
    expect(new Set(responses.map((response) => listAttemptSids(response).length))).toEqual(new Set([5]));
    expect((await create(to)).json().code).toBe(60203);
  });

  it('returns 60203 once a recipient has received five codes', async () => {
    const to = freshNumber();
    for (let sends = 1; sends <= 5; sends++) expect((await create(to)).statusCode).toBe(201);
    const refusal = await create(to);
    expect(refusal.json()).toEqual({
      code: 60203,
      message: expect.stringContaining('Only 5 codes'),
      more_info: 'https://www.twilio.com/docs/errors/60203',
      status: 429,
    });
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
  });

  it.each<[string, Record<string, string>, number]>([
    ['no number', { To: 'nobody' }, 60200],
    ['no recipient', { To: '' }, 60200],
    ['an unknown channel', { Channel: 'call' }, 60200],
    ['an invalid language', { Locale: 'not a tag' }, 60200],
    ['a name with asterisks', { CustomFriendlyName: '***' }, 60200],
    ['an invalid app hash', { AppHash: 'x' }, 60200],
    ['a custom code', { CustomCode: '1234' }, 60204],
    ['a custom text', { CustomMessage: 'Hi' }, 60204],
    ['a payment', { Amount: '9.99' }, 60204],
  ])('refuses %s', async (_what, form, code) => {
    const countBefore = await heliograph.deps.prisma.message.count();
    const { statusCode, body } = await create('+15005550111', form);
    expect([statusCode, JSON.parse(body).code]).toEqual([400, code]);
    expect(await heliograph.deps.prisma.message.count()).toBe(countBefore);
  });

  it('refuses WhatsApp if the service has no template, and names a sender that is not allowed', async () => {
    const serviceWithoutTemplate = await createServiceSid(account);
    const refusal = await callService(
      '/Verifications',
      { To: freshNumber(), Channel: 'whatsapp' },
      { serviceSid: serviceWithoutTemplate },
    );
    expect([refusal.statusCode, refusal.json().code]).toEqual([400, 60223]);
    const limitedAccount = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.account.update({ where: { id: limitedAccount.id }, data: { senderIds: ['Other'] } });
    const limitedService = await createServiceSid(limitedAccount);
    const senderResponse = await callService(
      '/Verifications',
      { To: freshNumber(), Channel: 'sms' },
      { caller: limitedAccount, serviceSid: limitedService },
    );
    expect([senderResponse.statusCode, senderResponse.json().code, senderResponse.json().message]).toEqual([
      400,
      60200,
      expect.stringContaining("The service's sender"),
    ]);
  });

  it('charges nothing if the balance is too low', async () => {
    const poorAccount = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const poorService = await createServiceSid(poorAccount);
    const refusal = await callService(
      '/Verifications',
      { To: freshNumber(), Channel: 'sms' },
      { caller: poorAccount, serviceSid: poorService },
    );
    expect([refusal.statusCode, refusal.json().code]).toEqual([402, 30002]);
  });
});

describe('POST VerificationCheck', () => {
  it('approves the correct code once, by the number or by the SID', async () => {
    const to = freshNumber();
    const sendResponse = await create(to);
    const code = await readCode(sendResponse);
    const { sid } = sendResponse.json();
    const wrongCodeResponse = await check(to, makeWrongCode(code));
    expect([wrongCodeResponse.statusCode, wrongCodeResponse.json()]).toMatchObject([
      201,
      { sid, status: 'pending', valid: false },
    ]);
    const approvedResponse = await callService('/VerificationCheck', { VerificationSid: sid, Code: code });
    expect(approvedResponse.json()).toEqual({
      sid,
      service_sid: defaultService,
      account_sid: toSid('AC', account.id),
      to,
      channel: 'sms',
      status: 'approved',
      valid: true,
      amount: null,
      payee: null,
      sna_attempts_error_codes: [],
      date_created: ISO,
      date_updated: ISO,
    });
    for (const notFoundResponse of [await check(to, code), await callService(`/Verifications/${sid}`)]) {
      expect([notFoundResponse.statusCode, notFoundResponse.json().code]).toEqual([404, 20404]);
    }
  });

  it('returns 60202 after five checks, and 20404 after the code has expired', async () => {
    const to = freshNumber();
    const code = await readCode(await create(to));
    for (let checks = 1; checks <= 5; checks++) await check(to, makeWrongCode(code));
    const sixthResponse = await check(to, code);
    expect([sixthResponse.statusCode, sixthResponse.json().code]).toEqual([429, 60202]);
    clock.advance(600_000);
    const expiredResponse = await check(to, code);
    expect([expiredResponse.statusCode, expiredResponse.json().code]).toEqual([404, 20404]);
  });

  it.each<[Record<string, string>, number]>([
    [{ Code: '1', To: '+15005550111' }, 400],
    [{ Code: '123456' }, 400],
    [{ Code: '123456', To: 'nobody' }, 400],
    [{ Code: '123456', VerificationSid: 'VE1' }, 404],
  ])('refuses %j', async (form, status) => {
    expect((await callService('/VerificationCheck', form)).statusCode).toBe(status);
  });
});

describe('POST Verifications/{Sid}', () => {
  it.each(['canceled', 'approved'])('ends a code as %s', async (status) => {
    const to = freshNumber();
    const sendResponse = await create(to);
    const code = await readCode(sendResponse);
    const { sid } = sendResponse.json();
    const endResponse = await callService(`/Verifications/${sid}`, { Status: status });
    expect([endResponse.statusCode, endResponse.json()]).toMatchObject([
      200,
      { sid, status, valid: status === 'approved' },
    ]);
    expect((await check(to, code)).statusCode).toBe(404);
    expect((await callService(`/Verifications/${sid}`, { Status: status })).statusCode).toBe(404);
    const nextResponse = await create(to);
    expect(nextResponse.json().sid).not.toBe(sid);
  });

  it('shows when it was last checked or ended', async () => {
    const to = freshNumber();
    const sendResponse = await create(to);
    const { sid, date_created: createdAt, date_updated: updatedAt } = sendResponse.json();
    expect(updatedAt).toBe(createdAt);
    const now = () => `${clock.now().toISOString().slice(0, 19)}Z`;
    clock.advance(60_000);
    const wrongCodeResponse = await check(to, makeWrongCode(await readCode(sendResponse)));
    expect(wrongCodeResponse.json()).toMatchObject({ status: 'pending', date_created: createdAt, date_updated: now() });
    clock.advance(60_000);
    const cancelResponse = await callService(`/Verifications/${sid}`, { Status: 'canceled' });
    expect(cancelResponse.json()).toMatchObject({ status: 'canceled', date_created: createdAt, date_updated: now() });
  });

  it('refuses any other status', async () => {
    const { sid } = (await create(freshNumber())).json();
    const refusal = await callService(`/Verifications/${sid}`, { Status: 'deleted' });
    expect([refusal.statusCode, refusal.json().code]).toEqual([400, 60200]);
  });
});

describe('a Verify service', () => {
  it('has its own codes, and is unknown to another account', async () => {
    const to = freshNumber();
    const code = await readCode(await create(to));
    const otherService = await createServiceSid(account);
    expect(
      (await callService('/VerificationCheck', { To: to, Code: code }, { serviceSid: otherService })).statusCode,
    ).toBe(404);
    const apiResponse = await post(heliograph.app, '/v2/verifications/check', account, { to: to.slice(1), code });
    expect(apiResponse.statusCode).toBe(404);
    const otherAccount = await createTestAccount(heliograph.deps);
    for (const caller of [otherAccount]) {
      const foreignResponse = await callService('/Verifications', { To: to, Channel: 'sms' }, { caller });
      expect([foreignResponse.statusCode, foreignResponse.json().code]).toEqual([404, 20404]);
    }
    expect((await check(to, code)).json()).toMatchObject({ valid: true });
  });

  it('does not affect other paths of /v2', async () => {
    const unknownPathResponse = await heliograph.app.inject({ method: 'GET', url: '/v2/Services/x/y/z' });
    expect(unknownPathResponse.json()).toMatchObject({ code: 20404, status: 404 });
    const ownPathResponse = await heliograph.app.inject({ method: 'GET', url: '/v2/nothing' });
    expect(ownPathResponse.json()).toMatchObject({ status: 'error' });
    const unauthorizedResponse = await heliograph.app.inject({
      method: 'POST',
      url: `/v2/Services/${defaultService}/Verifications`,
    });
    expect([unauthorizedResponse.statusCode, unauthorizedResponse.json().code]).toEqual([401, 20003]);
  });
});
