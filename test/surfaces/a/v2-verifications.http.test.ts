import { pino } from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { createChannel } from '../../../src/features/channels/channels.js';
import { insertCode } from '../../../src/messages/sign-in-codes/code-seal.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { makeWrongCode, recordSentTexts } from '../../support/carriers/sent-texts.js';
import { addCodeTemplate } from '../../support/channel-contents.js';
import { ManualClock } from '../../support/manual-clock.js';
import { retryUntilAvailable } from '../../support/retry-until-available.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV2, get, post, readAccountState } from './requests.js';

const logLines: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void logLines.push(line) });
const clock = new ManualClock();
const heliograph = suiteApp({ log, clock });
let account: TestAccount;
const { texts, waitForCode } = recordSentTexts(heliograph);
let lastNumber = 0;
const freshNumber = () => `1500555${String(2000 + lastNumber++)}`;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
});

const BODY = { from: 'Heliograph', app_name: 'Acme' };
const requestCode = (to: string, overrides: object = {}, headers: Record<string, string> = {}) =>
  post(heliograph.app, '/v2/verifications', account, { ...BODY, to, ...overrides }, headers);
const check = (to: string, code: string) => post(heliograph.app, '/v2/verifications/check', account, { to, code });
const requestAndReadCode = async (to: string, overrides: object = {}) => {
  const response = await requestCode(to, overrides);
  expect(response.statusCode, response.body).toBe(200);
  return waitForCode(response.json().data.message_id);
};

describe('POST /v2/verifications', () => {
  it('sends a code, and repeats the same code while it is valid', async () => {
    const to = freshNumber();
    const firstCode = await requestAndReadCode(to);
    expect(firstCode).toMatch(/^\d{6}$/);
    const repeatedResponse = await requestCode(to, { digits: 8, locale: 'de' });
    expect(repeatedResponse.json().data).toMatchObject({ status: 'pending', to, channel: 'sms', sends: 2 });
    expect(await waitForCode(repeatedResponse.json().data.message_id)).toBe(firstCode);
    clock.advance(600_000);
    expect(await requestAndReadCode(to, { digits: 10 })).toMatch(/^\d{10}$/);
  });

  it('ends the text with the line for autofill in browsers and Android', async () => {
    const response = await requestCode(freshNumber(), { domain: 'example.com', digits: 4 });
    const code = await waitForCode(response.json().data.message_id);
    expect(texts.get(response.json().data.message_id)).toBe(
      `Your Acme code is ${code}. Do not share it with anyone.\n\n@example.com #${code}`,
    );
    const hashResponse = await requestCode(freshNumber(), { android_hash: 'FA+9qCX9VSu', locale: 'pt-BR' });
    await waitForCode(hashResponse.json().data.message_id);
    expect(texts.get(hashResponse.json().data.message_id)).toMatch(/^\d{6} é a sua chave .*\n\nFA\+9qCX9VSu$/s);
  });

  it('refuses invalid input without charging', async () => {
    const to = freshNumber();
    const stateBefore = await readAccountState(heliograph, account);
    expectErrorV2(await requestCode('12ab'), 400, ['to']);
    expectErrorV2(await requestCode(to, { digits: 3 }), 400, ['digits']);
    expectErrorV2(await requestCode(to, { digits: 11 }), 400, ['digits']);
    expectErrorV2(await requestCode(to, { app_name: 'a*b' }), 400, ['app_name']);
    expectErrorV2(await requestCode(to, { template_id: 'x' }), 400, ['template_id']);
    expectErrorV2(await requestCode(to, { channel: 'whatsapp' }), 400, ['template_id']);
    expectErrorV2(await requestCode(to, { android_hash: 'FA+9qCX9VSu', domain: 'example.com' }), 400, ['android_hash']);
    expectErrorV2(await requestCode(to, { domain: 'http://example.com' }), 400, ['domain']);
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('repeats the response for an Idempotency-Key', async () => {
    const to = freshNumber();
    const headers = { 'idempotency-key': `codes-${to}` };
    const firstResponse = await requestCode(to, {}, headers);
    const secondResponse = await requestCode(to, {}, headers);
    expect(secondResponse.json().data.message_id).toBe(firstResponse.json().data.message_id);
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect((await requestCode(to, { digits: 7 }, headers)).statusCode).toBe(422);
  });

  it('reports if the message of an Idempotency-Key has been deleted, and sends nothing', async () => {
    const to = freshNumber();
    const headers = { 'idempotency-key': `codes-${to}` };
    const id = (await requestCode(to, {}, headers)).json().data.message_id;
    const { message } = heliograph.deps.prisma;
    const isMessageDeleted = async () =>
      !['queued', 'sending'].includes((await message.findUniqueOrThrow({ where: { id } })).status);
    await waitFor('the message to be sent', isMessageDeleted);
    await message.delete({ where: { id } });
    const stateBefore = await readAccountState(heliograph, account);
    expectErrorV2(await requestCode(to, {}, headers), 409, ['Idempotency-Key']);
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('stores nothing about a code that cannot be paid for', async () => {
    const poorAccount = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const to = freshNumber();
    const response = await post(heliograph.app, '/v2/verifications', poorAccount, { ...BODY, to });
    expect(response.statusCode).toBe(402);
    expect(await heliograph.deps.prisma.verification.count({ where: { accountId: poorAccount.id } })).toBe(0);
  });

  it('accepts and charges five of 64 concurrent requests, and returns Retry-After for the others', async () => {
    const to = freshNumber();
    const balanceBefore = await readBalance(heliograph.deps, account.id);
    const responses = await Promise.all(Array.from({ length: 64 }, () => retryUntilAvailable(() => requestCode(to))));
    const successes = responses.filter(({ statusCode }) => statusCode === 200);
    expect(successes).toHaveLength(5);
    const refusals = responses.filter(({ statusCode }) => statusCode === 429);
    expect(refusals).toHaveLength(59);
    expect(Number(refusals[0]?.headers['retry-after'])).toBeGreaterThan(590);
    const { _sum } = await heliograph.deps.prisma.message.aggregate({
      where: { accountId: account.id, recipient: to },
      _sum: { priceMicros: true },
    });
    expect(balanceBefore - (await readBalance(heliograph.deps, account.id))).toBe(_sum.priceMicros);
    const codes = new Set<string>();
    for (const response of successes) codes.add(await waitForCode(response.json().data.message_id));
    expect(codes.size).toBe(1);
    clock.advance(600_000);
    expect((await requestCode(to)).statusCode).toBe(200);
  });
});

describe('POST /v2/verifications/check', () => {
  it('accepts the correct code once', async () => {
    const to = freshNumber();
    const code = await requestAndReadCode(to);
    expect((await check(to, makeWrongCode(code))).json().data).toMatchObject({
      status: 'pending',
      valid: false,
      checks_left: 4,
    });
    expect((await check(to, code)).json().data).toMatchObject({ status: 'approved', valid: true, to });
    expectErrorV2(await check(to, code), 404, []);
    expect(await requestAndReadCode(to)).toMatch(/^\d{6}$/);
  });

  it('does not accept a code that has expired, belongs to another account or does not exist', async () => {
    const to = freshNumber();
    const code = await requestAndReadCode(to);
    const otherAccount = await createTestAccount(heliograph.deps);
    const foreignResponse = await post(heliograph.app, '/v2/verifications/check', otherAccount, { to, code });
    expectErrorV2(foreignResponse, 404, []);
    clock.advance(600_000);
    expectErrorV2(await check(to, code), 404, []);
    expectErrorV2(await check(freshNumber(), '123456'), 404, []);
    expectErrorV2(await check('x', '123456'), 400, ['to']);
    expectErrorV2(await check(to, '12a456'), 400, ['code']);
  });

  it('approves one of 64 concurrent checks', async () => {
    const to = freshNumber();
    const code = await requestAndReadCode(to);
    const responses = await Promise.all(Array.from({ length: 64 }, () => retryUntilAvailable(() => check(to, code))));
    expect(responses.filter((response) => response.statusCode === 200 && response.json().data.valid)).toHaveLength(1);
    expect(responses.filter(({ statusCode }) => statusCode === 404)).toHaveLength(63);
  });

  it('checks five of 64 concurrent wrong codes, and then refuses even the correct code', async () => {
    const to = freshNumber();
    const code = await requestAndReadCode(to);
    const responses = await Promise.all(
      Array.from({ length: 64 }, () => retryUntilAvailable(() => check(to, makeWrongCode(code)))),
    );
    expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(5);
    const lateResponse = await check(to, code);
    expect(lateResponse.statusCode).toBe(429);
    expect(Number(lateResponse.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('a code', () => {
  it('is not in any table, response or log', async () => {
    const to = freshNumber();
    const response = await requestCode(to, { digits: 10, reference: 'sign-in' });
    const { message_id: id } = response.json().data;
    const code = await waitForCode(id);
    await waitFor('the delivery', async () =>
      (await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } })).status === 'delivered' ? true : null,
    );
    const tables = await heliograph.deps.prisma.$queryRaw<{ name: string; text: string | null }[]>`
      SELECT tablename AS name, query_to_xml(format('SELECT t::text FROM %I t', tablename), false, false, '')::text AS text
      FROM pg_tables WHERE schemaname = 'public'`;
    const rows = tables.find(({ name }) => name === 'messages')?.text;
    expect(rows).toContain('Your Acme code is **********.');
    for (const { name, text } of tables) expect(text?.includes(code) ?? false, name).toBe(false);
    for (const url of [
      `/v2/messages/${id}`,
      '/v2/messages',
      `/v1.0/sms/status/${id}`,
      '/v2/changes',
      `/v2/messages/${id}/callbacks`,
    ]) {
      const statusResponse = await get(heliograph.app, url, account);
      expect(statusResponse.statusCode, url).toBe(200);
      expect(statusResponse.body, url).not.toContain(code);
    }
    expect(response.body).not.toContain(code);
    await check(to, code);
    await check(to, '99');
    expect(logLines.filter((line) => line.includes(code))).toEqual([]);
  });

  it('is sent by WhatsApp, and by SMS if that fails, without being stored in a row', async () => {
    const { prisma } = heliograph.deps;
    const channel = await createChannel(prisma, {
      accountId: account.id,
      kind: 'whatsapp',
      name: 'Codes',
      phoneNumber: '15005550100',
      carrier: 'simulator',
      isDefault: true,
    });
    await addCodeTemplate(heliograph, { account, channelId: channel.id });
    // The simulator refuses messages to 15005550001 when they are submitted.
    const response = await requestCode('15005550001', {
      from: '15005550100',
      channel: 'whatsapp',
      template_id: 'sign_in',
      fallback: { channel: 'sms', from: 'Heliograph' },
      digits: 10,
    });
    expect(response.statusCode, response.body).toBe(200);
    const { id, message_id } = response.json().data;
    const code = await waitForCode(message_id);
    const sms = await waitFor('the fallback', () =>
      prisma.message.findFirst({ where: { verificationId: id, kind: 'sms' } }),
    );
    expect(await waitForCode(sms.id)).toBe(code);
    const { expiresAt } = await prisma.verification.findUniqueOrThrow({ where: { id } });
    expect(sms.validUntil <= expiresAt && sms.validUntil > new Date(expiresAt.getTime() - 5_000)).toBe(true);
    const rows = await prisma.message.findMany({ where: { verificationId: id } });
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(code);
    expect((await check('15005550001', code)).json().data.valid).toBe(true);
  });

  it('stays bold if the template makes it bold', () => {
    expect(insertCode({ body: '******** is your code: ******', content: null }, '123456').body).toBe(
      '*123456* is your code: 123456',
    );
  });

  it('is filled into a template and its fallback', () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: '****' }] }];
    const content = { type: 'template' as const, components, fallback: { from: 'x', message: 'It is ****' } };
    expect(insertCode({ body: '**** is it', content }, '1234')).toEqual({
      body: '1234 is it',
      content: {
        type: 'template',
        components: [{ type: 'body', parameters: [{ type: 'text', text: '1234' }] }],
        fallback: { from: 'x', message: 'It is 1234' },
      },
    });
  });
});
