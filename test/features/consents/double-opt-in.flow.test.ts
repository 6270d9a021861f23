import { beforeEach, describe, expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const PHONE = '15005550111';
const EVIDENCE = {
  name: 'Ada',
  wording: 'Send me offers.',
  wordingVersion: '3',
  ip: '203.0.113.7',
  url: 'https://shop.example/form',
};
const heliograph = sharedApp();
let sms: TestChannel;

beforeEach(async () => {
  sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
});

const ask = (body: object = {}, channel = sms, headers: Record<string, string> = {}) =>
  call(heliograph, channel, 'POST', '/consents/requests', { to: PHONE, purpose: 'marketing', ...body }, headers);

async function request(body: object = {}, channel = sms) {
  const response = await ask(body, channel);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

const listConsents = async (channel = sms) =>
  (await call(heliograph, channel, 'GET', '/consents?source=double_opt_in')).json().data.consents;
const answer = (text: string, channel = sms, more: object = {}) =>
  playInbound(heliograph, channel, { from: PHONE, text, ...more });
const listMessages = () => heliograph.deps.prisma.message.findMany({ where: { accountId: sms.account.id } });

/** Moves the request into the past. */
const age = (ms: number) =>
  heliograph.deps.pool.query(
    "UPDATE consent_requests SET requested_at = requested_at - $2 * interval '1 millisecond' WHERE account_id = $1",
    [sms.account.id, ms],
  );

describe('double opt-in', () => {
  it('YES grants the consent with the evidence of the request, once, and the message is charged', async () => {
    const before = await readBalance(heliograph.deps, sms.account.id);
    const { messageId } = await request(EVIDENCE);
    const [message] = await listMessages();
    expect(message).toMatchObject({ id: messageId, recipient: PHONE, purpose: 'marketing' });
    expect(message?.body).toContain('Reply YES to receive our offers and news.');
    expect(await readBalance(heliograph.deps, sms.account.id)).toBe(before - (message?.priceMicros ?? 0n));
    expect(await listConsents()).toEqual([]);
    await answer('Yes!');
    await answer('YES');
    const entry = { phone: PHONE, purpose: 'marketing', decision: 'granted', source: 'double_opt_in', ...EVIDENCE };
    expect(await listConsents()).toMatchObject([entry]);
  });

  it('the text of the message is the wording unless the request names one', async () => {
    await request({ message: 'Shop: Reply YES for offers.' });
    await answer('yes');
    expect(await listConsents()).toMatchObject([{ wording: 'Shop: Reply YES for offers.' }]);
  });

  it.each(['ja', 'Oui', 'SÍ', 'si', 'sim'])('%s confirms, too', async (word) => {
    await request({ language: 'de' });
    expect((await listMessages())[0]?.body).toContain('Antworten Sie JA');
    await answer(word);
    expect(await listConsents()).toHaveLength(1);
  });

  it.each(['no', 'yes please', 'START', 'HELP'])('%s does not confirm', async (text) => {
    await request();
    await answer(text);
    expect(await listConsents()).toEqual([]);
  });

  it('YES counts for 7 days, and without a request it does not count', async () => {
    await answer('YES');
    await request();
    await age(7 * DAY_MS + 60_000);
    await answer('YES');
    expect(await listConsents()).toEqual([]);
    await age(-2 * 60_000);
    await answer('YES');
    expect(await listConsents()).toHaveLength(1);
  });

  it('a person gets one request in 30 days, also from concurrent calls, and a refused one costs nothing', async () => {
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => ask()))).map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect(await listMessages()).toHaveLength(1);
    await age(30 * DAY_MS - 60_000);
    const refused = await ask({ purpose: 'transactional' });
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, 'CONFLICT']);
    expect(refused.json().error.message).toContain('at most one request from a sender in 30 days');
    await age(2 * 60_000);
    await request();
    expect(await listMessages()).toHaveLength(2);
  });

  it('a repeated request with the same idempotency key gets the first response', async () => {
    const key = { 'idempotency-key': 'signup-1' };
    const first = await ask({}, sms, key);
    const second = await ask({}, sms, key);
    expect(second.json()).toEqual(first.json());
    expect(await listMessages()).toHaveLength(1);
  });

  it('people who have opted out get no request, and a STOP after the request ends it', async () => {
    await request();
    await answer('STOP');
    await answer('YES');
    expect(await listConsents()).toEqual([]);
    await age(40 * DAY_MS);
    const refused = await ask();
    expect([refused.statusCode, refused.json().error.code]).toEqual([400, 'OPTED_OUT']);
    expect(await listMessages()).toHaveLength(1);
  });

  it('without the money for the message, no request is stored', async () => {
    await heliograph.deps.prisma.account.update({ where: { id: sms.account.id }, data: { balanceMicros: 0n } });
    expect((await ask()).statusCode).toBe(402);
    expect(await heliograph.deps.prisma.consentRequest.count({ where: { accountId: sms.account.id } })).toBe(0);
  });

  it('if the request cannot be stored, no message is accepted or charged', async () => {
    const { pool } = heliograph.deps;
    await pool.query(
      `ALTER TABLE consent_requests ADD CONSTRAINT refused CHECK (wording IS DISTINCT FROM 'refused') NOT VALID`,
    );
    try {
      const before = await readBalance(heliograph.deps, sms.account.id);
      expect((await ask({ wording: 'refused' })).statusCode).toBe(500);
      expect(await listMessages()).toEqual([]);
      expect(await readBalance(heliograph.deps, sms.account.id)).toBe(before);
    } finally {
      await pool.query('ALTER TABLE consent_requests DROP CONSTRAINT refused');
    }
  });

  it.each([
    ['a message of blanks', { message: ' ' }, 'message'],
    ['a purpose that needs no consent', { purpose: 'verification' }, 'purpose'],
    ['a label without letters', { buttonLabel: '!' }, 'buttonLabel'],
    ['a template and a text', { templateName: 'hello_world', language: 'en_US', message: 'Hi' }, 'message'],
    ['a template without a language', { templateName: 'hello_world' }, 'language'],
  ])('%s gets 400', async (_, body, field) => {
    const response = await ask(body);
    expect(response.statusCode, response.body).toBe(400);
    expect(response.json().error.fields?.[0]?.field ?? response.body).toContain(field);
    expect(await listMessages()).toEqual([]);
  });

  it("on WhatsApp, a template asks, and only the request's button or a word for yes confirms", async () => {
    const whatsapp = await createTestChannel(heliograph.deps);
    await addTemplate(heliograph, whatsapp, { name: 'hello_world' });
    const template = { templateName: 'hello_world', language: 'en_US', buttonLabel: 'Sign me up' };
    expect((await ask({ message: 'Reply YES' }, whatsapp)).json().error.code).toBe('WINDOW_EXPIRED');
    await request(template, whatsapp);
    await answer('Not now', whatsapp, { type: 'button' });
    await answer('Sign me up', whatsapp);
    expect(await listConsents(whatsapp)).toEqual([]);
    await answer('Sign me up', whatsapp, { type: 'button' });
    expect(await listConsents(whatsapp)).toMatchObject([{ phone: PHONE, source: 'double_opt_in' }]);
  });
});
