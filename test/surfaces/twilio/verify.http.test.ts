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
let service: string;
let number = 0;
const freshNumber = () => `+1500555${String(3000 + number++)}`;

const call = (
  path: string,
  form?: Record<string, string>,
  {
    by = account,
    of = service,
    headers = {},
  }: { by?: TestAccount; of?: string; headers?: Record<string, string> } = {},
) =>
  heliograph.app.inject({
    method: form ? 'POST' : 'GET',
    url: `/v2/Services/${of}${path}`,
    headers: {
      ...buildAccountAuth(by),
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form && { payload: new URLSearchParams(form).toString() }),
  });
const create = (To: string, more: Record<string, string> = {}) =>
  call('/Verifications', { To, Channel: 'sms', ...more });
const check = (To: string, Code: string) => call('/VerificationCheck', { To, Code });
const attemptsOf = (answer: { json(): { send_code_attempts: { attempt_sid: string }[] } }) =>
  answer.json().send_code_attempts.map(({ attempt_sid: sid }) => parseSid(sid, 'VL') as string);
const codeIn = async (answer: Awaited<ReturnType<typeof create>>) => {
  expect(answer.statusCode, answer.body).toBe(201);
  return waitForCode(attemptsOf(answer).at(-1) as string);
};
const serviceSid = async (of: TestAccount, more: object = {}) => {
  const input = { accountId: of.id, type: 'verify' as const, appName: 'Acme', sender: 'Heliograph', ...more };
  return toSid('VA', (await createService(heliograph.deps.prisma, input, clock.now())).service.id);
};

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  account = channel.account;
  await addCodeTemplate(heliograph, channel);
  service = await serviceSid(account, { locale: 'de', whatsappFrom: channel.phoneNumber, template: 'sign_in' });
});

describe('POST Verifications', () => {
  it('sends a code, answers with all fields of a verification, and resends it while it is valid', async () => {
    const to = freshNumber();
    const first = await create(to);
    const code = await codeIn(first);
    const { sid, ...rest } = first.json();
    expect(sid).toMatch(/^VE[0-9a-f]{32}$/);
    expect(rest).toEqual({
      service_sid: service,
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
      url: `/v2/Services/${service}/Verifications/${sid}`,
    });
    expect(first.body).not.toContain(code);
    const again = await create(to, { Locale: 'en', CustomFriendlyName: 'Shop', AppHash: 'FA+9qCX9VSu' });
    expect(again.json()).toMatchObject({ sid });
    expect(attemptsOf(again)).toHaveLength(2);
    expect(await waitForText(attemptsOf(first)[0] as string)).toBe(
      `Dein Code für Acme ist ${code}. Gib ihn nicht weiter.`,
    );
    expect(await waitForText(attemptsOf(again)[1] as string)).toBe(
      `Your Shop code is ${code}. Do not share it with anyone.\n\nFA+9qCX9VSu`,
    );
    const fetched = await call(`/Verifications/${sid}`);
    expect([fetched.statusCode, fetched.json()]).toEqual([200, again.json()]);
  });

  it('sends by WhatsApp with the template of the service', async () => {
    const answer = await create(freshNumber(), { Channel: 'whatsapp' });
    expect(answer.json()).toMatchObject({ channel: 'whatsapp' });
    expect(await waitForText(attemptsOf(answer)[0] as string)).toMatch(/^\*\d{6}\* is your verification code\.$/);
  });

  it('repeats the answer to an idempotency token', async () => {
    const to = freshNumber();
    const headers = { 'i-twilio-idempotency-token': 'once' };
    const form = { To: to, Channel: 'sms' };
    const first = await call('/Verifications', form, { headers });
    const second = await call('/Verifications', form, { headers });
    expect(second.json()).toEqual(first.json());
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  it('repeats it for all concurrent requests with the token of the fifth', async () => {
    const to = freshNumber();
    for (let sends = 1; sends <= 4; sends++) expect((await create(to)).statusCode).toBe(201);
    const headers = { 'i-twilio-idempotency-token': 'the-fifth' };
    const form = { To: to, Channel: 'sms' };
    // On a slow machine, some requests time out and are repeated.
    const ask = () => retryUntilAvailable(() => call('/Verifications', form, { headers }));
    const answers = await Promise.all(Array.from({ length: 64 }, ask));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([201]));
    expect(new Set(answers.map((answer) => attemptsOf(answer).length))).toEqual(new Set([5]));
    expect((await create(to)).json().code).toBe(60203);
  });

  it('answers 60203 once a recipient has received five', async () => {
    const to = freshNumber();
    for (let sends = 1; sends <= 5; sends++) expect((await create(to)).statusCode).toBe(201);
    const refused = await create(to);
    expect(refused.json()).toEqual({
      code: 60203,
      message: expect.stringContaining('Only 5 codes'),
      more_info: 'https://www.twilio.com/docs/errors/60203',
      status: 429,
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it.each<[string, Record<string, string>, number]>([
    ['no number', { To: 'nobody' }, 60200],
    ['no recipient', { To: '' }, 60200],
    ['a channel that is not there', { Channel: 'call' }, 60200],
    ['a language that is none', { Locale: 'not a tag' }, 60200],
    ['a name with asterisks', { CustomFriendlyName: '***' }, 60200],
    ['a hash that is none', { AppHash: 'x' }, 60200],
    ['a code of their own', { CustomCode: '1234' }, 60204],
    ['a text of their own', { CustomMessage: 'Hi' }, 60204],
    ['a payment', { Amount: '9.99' }, 60204],
  ])('refuses %s', async (_what, form, code) => {
    const before = await heliograph.deps.prisma.message.count();
    const { statusCode, body } = await create('+15005550111', form);
    expect([statusCode, JSON.parse(body).code]).toEqual([400, code]);
    expect(await heliograph.deps.prisma.message.count()).toBe(before);
  });

  it('refuses WhatsApp if the service has no template, and names a sender that is not allowed', async () => {
    const plain = await serviceSid(account);
    const refused = await call('/Verifications', { To: freshNumber(), Channel: 'whatsapp' }, { of: plain });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 60223]);
    const limited = await createTestAccount(heliograph.deps);
    await heliograph.deps.prisma.account.update({ where: { id: limited.id }, data: { senderIds: ['Other'] } });
    const of = await serviceSid(limited);
    const sender = await call('/Verifications', { To: freshNumber(), Channel: 'sms' }, { by: limited, of });
    expect([sender.statusCode, sender.json().code, sender.json().message]).toEqual([
      400,
      60200,
      expect.stringContaining("The service's sender"),
    ]);
  });

  it('charges nothing if the balance is too low', async () => {
    const poor = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const of = await serviceSid(poor);
    const refused = await call('/Verifications', { To: freshNumber(), Channel: 'sms' }, { by: poor, of });
    expect([refused.statusCode, refused.json().code]).toEqual([402, 30002]);
  });
});

describe('POST VerificationCheck', () => {
  it('approves the correct code once, by the number or by the SID', async () => {
    const to = freshNumber();
    const sent = await create(to);
    const code = await codeIn(sent);
    const { sid } = sent.json();
    const wrong = await check(to, makeWrongCode(code));
    expect([wrong.statusCode, wrong.json()]).toMatchObject([201, { sid, status: 'pending', valid: false }]);
    const right = await call('/VerificationCheck', { VerificationSid: sid, Code: code });
    expect(right.json()).toEqual({
      sid,
      service_sid: service,
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
    for (const gone of [await check(to, code), await call(`/Verifications/${sid}`)]) {
      expect([gone.statusCode, gone.json().code]).toEqual([404, 20404]);
    }
  });

  it('answers 60202 after five checks, and 20404 after the code has expired', async () => {
    const to = freshNumber();
    const code = await codeIn(await create(to));
    for (let checks = 1; checks <= 5; checks++) await check(to, makeWrongCode(code));
    const late = await check(to, code);
    expect([late.statusCode, late.json().code]).toEqual([429, 60202]);
    clock.advance(600_000);
    const past = await check(to, code);
    expect([past.statusCode, past.json().code]).toEqual([404, 20404]);
  });

  it.each<[Record<string, string>, number]>([
    [{ Code: '1', To: '+15005550111' }, 400],
    [{ Code: '123456' }, 400],
    [{ Code: '123456', To: 'nobody' }, 400],
    [{ Code: '123456', VerificationSid: 'VE1' }, 404],
  ])('refuses %j', async (form, status) => {
    expect((await call('/VerificationCheck', form)).statusCode).toBe(status);
  });
});

describe('POST Verifications/{Sid}', () => {
  it.each(['canceled', 'approved'])('ends a code as %s', async (status) => {
    const to = freshNumber();
    const sent = await create(to);
    const code = await codeIn(sent);
    const { sid } = sent.json();
    const ended = await call(`/Verifications/${sid}`, { Status: status });
    expect([ended.statusCode, ended.json()]).toMatchObject([200, { sid, status, valid: status === 'approved' }]);
    expect((await check(to, code)).statusCode).toBe(404);
    expect((await call(`/Verifications/${sid}`, { Status: status })).statusCode).toBe(404);
    const next = await create(to);
    expect(next.json().sid).not.toBe(sid);
  });

  it('shows when it was last checked or ended', async () => {
    const to = freshNumber();
    const sent = await create(to);
    const { sid, date_created: created, date_updated: made } = sent.json();
    expect(made).toBe(created);
    const now = () => `${clock.now().toISOString().slice(0, 19)}Z`;
    clock.advance(60_000);
    const wrong = await check(to, makeWrongCode(await codeIn(sent)));
    expect(wrong.json()).toMatchObject({ status: 'pending', date_created: created, date_updated: now() });
    clock.advance(60_000);
    const canceled = await call(`/Verifications/${sid}`, { Status: 'canceled' });
    expect(canceled.json()).toMatchObject({ status: 'canceled', date_created: created, date_updated: now() });
  });

  it('refuses any other status', async () => {
    const { sid } = (await create(freshNumber())).json();
    const refused = await call(`/Verifications/${sid}`, { Status: 'deleted' });
    expect([refused.statusCode, refused.json().code]).toEqual([400, 60200]);
  });
});

describe('a Verify service', () => {
  it('has its own codes, and is unknown to another account', async () => {
    const to = freshNumber();
    const code = await codeIn(await create(to));
    const other = await serviceSid(account);
    expect((await call('/VerificationCheck', { To: to, Code: code }, { of: other })).statusCode).toBe(404);
    const byApi = await post(heliograph.app, '/v2/verifications/check', account, { to: to.slice(1), code });
    expect(byApi.statusCode).toBe(404);
    const stranger = await createTestAccount(heliograph.deps);
    for (const by of [stranger]) {
      const foreign = await call('/Verifications', { To: to, Channel: 'sms' }, { by });
      expect([foreign.statusCode, foreign.json().code]).toEqual([404, 20404]);
    }
    expect((await check(to, code)).json()).toMatchObject({ valid: true });
  });

  it('does not affect other paths of /v2', async () => {
    const unknown = await heliograph.app.inject({ method: 'GET', url: '/v2/Services/x/y/z' });
    expect(unknown.json()).toMatchObject({ code: 20404, status: 404 });
    const ours = await heliograph.app.inject({ method: 'GET', url: '/v2/nothing' });
    expect(ours.json()).toMatchObject({ status: 'error' });
    const nobody = await heliograph.app.inject({ method: 'POST', url: `/v2/Services/${service}/Verifications` });
    expect([nobody.statusCode, nobody.json().code]).toEqual([401, 20003]);
  });
});
