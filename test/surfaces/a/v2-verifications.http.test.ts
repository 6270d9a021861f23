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
import { expectErrorV2, get, post, stateOf } from './requests.js';

const logged: string[] = [];
const log = pino({ level: 'trace' }, { write: (line) => void logged.push(line) });
const clock = new ManualClock();
const heliograph = suiteApp({ log, clock });
let account: TestAccount;
const { texts, waitForCode } = recordSentTexts(heliograph);
let number = 0;
const freshNumber = () => `1500555${String(2000 + number++)}`;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
});

const BODY = { from: 'Heliograph', app_name: 'Acme' };
const ask = (to: string, more: object = {}, headers: Record<string, string> = {}) =>
  post(heliograph.app, '/v2/verifications', account, { ...BODY, to, ...more }, headers);
const check = (to: string, code: string) => post(heliograph.app, '/v2/verifications/check', account, { to, code });
const sentCode = async (to: string, more: object = {}) => {
  const answer = await ask(to, more);
  expect(answer.statusCode, answer.body).toBe(200);
  return waitForCode(answer.json().data.message_id);
};

describe('POST /v2/verifications', () => {
  it('sends a code, and the same one while it is valid', async () => {
    const to = freshNumber();
    const first = await sentCode(to);
    expect(first).toMatch(/^\d{6}$/);
    const again = await ask(to, { digits: 8, locale: 'de' });
    expect(again.json().data).toMatchObject({ status: 'pending', to, channel: 'sms', sends: 2 });
    expect(await waitForCode(again.json().data.message_id)).toBe(first);
    clock.advance(600_000);
    expect(await sentCode(to, { digits: 10 })).toMatch(/^\d{10}$/);
  });

  it('ends the text with the line that a browser or a phone reads', async () => {
    const answer = await ask(freshNumber(), { domain: 'example.com', digits: 4 });
    const code = await waitForCode(answer.json().data.message_id);
    expect(texts.get(answer.json().data.message_id)).toBe(
      `Your Acme code is ${code}. Do not share it with anyone.\n\n@example.com #${code}`,
    );
    const hash = await ask(freshNumber(), { android_hash: 'FA+9qCX9VSu', locale: 'pt-BR' });
    await waitForCode(hash.json().data.message_id);
    expect(texts.get(hash.json().data.message_id)).toMatch(/^\d{6} é a sua chave .*\n\nFA\+9qCX9VSu$/s);
  });

  it('refuses invalid input without charging', async () => {
    const to = freshNumber();
    const before = await stateOf(heliograph, account);
    expectErrorV2(await ask('12ab'), 400, ['to']);
    expectErrorV2(await ask(to, { digits: 3 }), 400, ['digits']);
    expectErrorV2(await ask(to, { digits: 11 }), 400, ['digits']);
    expectErrorV2(await ask(to, { app_name: 'a*b' }), 400, ['app_name']);
    expectErrorV2(await ask(to, { template_id: 'x' }), 400, ['template_id']);
    expectErrorV2(await ask(to, { channel: 'whatsapp' }), 400, ['template_id']);
    expectErrorV2(await ask(to, { android_hash: 'FA+9qCX9VSu', domain: 'example.com' }), 400, ['android_hash']);
    expectErrorV2(await ask(to, { domain: 'http://example.com' }), 400, ['domain']);
    expect(await stateOf(heliograph, account)).toEqual(before);
  });

  it('repeats the answer to an Idempotency-Key', async () => {
    const to = freshNumber();
    const headers = { 'idempotency-key': `codes-${to}` };
    const first = await ask(to, {}, headers);
    const second = await ask(to, {}, headers);
    expect(second.json().data.message_id).toBe(first.json().data.message_id);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect((await ask(to, { digits: 7 }, headers)).statusCode).toBe(422);
  });

  it('says if what an Idempotency-Key created was deleted since, and sends nothing', async () => {
    const to = freshNumber();
    const headers = { 'idempotency-key': `codes-${to}` };
    const id = (await ask(to, {}, headers)).json().data.message_id;
    const { message } = heliograph.deps.prisma;
    const isGone = async () =>
      !['queued', 'sending'].includes((await message.findUniqueOrThrow({ where: { id } })).status);
    await waitFor('it to be sent', isGone);
    await message.delete({ where: { id } });
    const before = await stateOf(heliograph, account);
    expectErrorV2(await ask(to, {}, headers), 409, ['Idempotency-Key']);
    expect(await stateOf(heliograph, account)).toEqual(before);
  });

  it('leaves no trace of a code that cannot be paid', async () => {
    const poor = await createTestAccount(heliograph.deps, { creditMicros: 0n });
    const to = freshNumber();
    const answer = await post(heliograph.app, '/v2/verifications', poor, { ...BODY, to });
    expect(answer.statusCode).toBe(402);
    expect(await heliograph.deps.prisma.verification.count({ where: { accountId: poor.id } })).toBe(0);
  });

  it('accepts five of 64 concurrent requests, charges five, and says when to try again', async () => {
    const to = freshNumber();
    const before = await readBalance(heliograph.deps, account.id);
    const answers = await Promise.all(Array.from({ length: 64 }, () => retryUntilAvailable(() => ask(to))));
    const taken = answers.filter(({ statusCode }) => statusCode === 200);
    expect(taken).toHaveLength(5);
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(refused).toHaveLength(59);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(590);
    const { _sum } = await heliograph.deps.prisma.message.aggregate({
      where: { accountId: account.id, recipient: to },
      _sum: { priceMicros: true },
    });
    expect(before - (await readBalance(heliograph.deps, account.id))).toBe(_sum.priceMicros);
    const codes = new Set<string>();
    for (const each of taken) codes.add(await waitForCode(each.json().data.message_id));
    expect(codes.size).toBe(1);
    clock.advance(600_000);
    expect((await ask(to)).statusCode).toBe(200);
  });
});

describe('POST /v2/verifications/check', () => {
  it('accepts the correct code once', async () => {
    const to = freshNumber();
    const code = await sentCode(to);
    expect((await check(to, makeWrongCode(code))).json().data).toMatchObject({
      status: 'pending',
      valid: false,
      checks_left: 4,
    });
    expect((await check(to, code)).json().data).toMatchObject({ status: 'approved', valid: true, to });
    expectErrorV2(await check(to, code), 404, []);
    expect(await sentCode(to)).toMatch(/^\d{6}$/);
  });

  it('does not accept a code that has expired, belongs to another account or does not exist', async () => {
    const to = freshNumber();
    const code = await sentCode(to);
    const stranger = await createTestAccount(heliograph.deps);
    const foreign = await post(heliograph.app, '/v2/verifications/check', stranger, { to, code });
    expectErrorV2(foreign, 404, []);
    clock.advance(600_000);
    expectErrorV2(await check(to, code), 404, []);
    expectErrorV2(await check(freshNumber(), '123456'), 404, []);
    expectErrorV2(await check('x', '123456'), 400, ['to']);
    expectErrorV2(await check(to, '12a456'), 400, ['code']);
  });

  it('approves one of 64 concurrent checks', async () => {
    const to = freshNumber();
    const code = await sentCode(to);
    const answers = await Promise.all(Array.from({ length: 64 }, () => retryUntilAvailable(() => check(to, code))));
    expect(answers.filter((each) => each.statusCode === 200 && each.json().data.valid)).toHaveLength(1);
    expect(answers.filter(({ statusCode }) => statusCode === 404)).toHaveLength(63);
  });

  it('accepts five wrong codes of 64 concurrent checks, and then not even the correct one', async () => {
    const to = freshNumber();
    const code = await sentCode(to);
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => retryUntilAvailable(() => check(to, makeWrongCode(code)))),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(5);
    const late = await check(to, code);
    expect(late.statusCode).toBe(429);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('a code', () => {
  it('is in no table, answer or log', async () => {
    const to = freshNumber();
    const answer = await ask(to, { digits: 10, reference: 'sign-in' });
    const { message_id: id } = answer.json().data;
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
      const shown = await get(heliograph.app, url, account);
      expect(shown.statusCode, url).toBe(200);
      expect(shown.body, url).not.toContain(code);
    }
    expect(answer.body).not.toContain(code);
    await check(to, code);
    await check(to, '99');
    expect(logged.filter((line) => line.includes(code))).toEqual([]);
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
    // The simulator refuses this number at submission.
    const answer = await ask('15005550001', {
      from: '15005550100',
      channel: 'whatsapp',
      template_id: 'sign_in',
      fallback: { channel: 'sms', from: 'Heliograph' },
      digits: 10,
    });
    expect(answer.statusCode, answer.body).toBe(200);
    const { id, message_id } = answer.json().data;
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

  it('is filled into a template and its fallback as well', () => {
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
