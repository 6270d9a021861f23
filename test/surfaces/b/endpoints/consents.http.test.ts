import { beforeEach, describe, expect, it } from 'vitest';
import { call, playInbound } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { sharedApp } from '../../../support/suite.js';

const PHONE = '15005550111';
const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;

beforeEach(async () => {
  channel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
});

const request = (method: 'GET' | 'POST', path: string, body?: object) => call(heliograph, channel, method, path, body);

async function ask(method: 'GET' | 'POST', path: string, body?: object) {
  const response = await request(method, path, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

const EVIDENCE = {
  ...{
    name: 'Ada',
    wording: 'Send me offers.',
    wordingVersion: '3',
    ip: '203.0.113.7',
    url: 'https://shop.example/form',
  },
};
const GRANT = { phone: PHONE, purpose: 'marketing', decision: 'granted' };

describe('consents', () => {
  it('an entry is stored with its evidence and listed, by person, purpose, decision and source', async () => {
    const granted = await ask('POST', '/consents', {
      ...GRANT,
      ...EVIDENCE,
      source: 'form',
      decidedAt: '2026-01-02T03:04:05.000Z',
    });
    const { optOut, ...entry } = granted;
    expect(optOut).toBeNull();
    expect(entry).toMatchObject({ ...GRANT, ...EVIDENCE, source: 'form', decidedAt: '2026-01-02T03:04:05.000Z' });
    const transactional = await ask('POST', '/consents', {
      ...GRANT,
      phone: '+1 500 555 0112',
      purpose: 'transactional',
    });
    expect(transactional).toMatchObject({ phone: '15005550112', source: 'api', name: null, ip: null });
    expect(await ask('GET', '/consents')).toMatchObject({
      consents: [{ id: transactional.id }, { id: entry.id }],
      total: 2,
    });
    for (const query of [`phone=${PHONE}`, 'purpose=marketing', 'source=form', 'decision=granted&source=form']) {
      expect(await ask('GET', `/consents?${query}`), query).toMatchObject({ consents: [entry], total: 1 });
    }
    expect(await ask('GET', '/consents?decision=withdrawn')).toMatchObject({ consents: [], total: 0 });
    expect(await ask('GET', '/consents?limit=1&offset=1')).toMatchObject({ consents: [entry], total: 2 });
  });

  it('a grant by a request does not lift an opt-out, and the response says so', async () => {
    await playInbound(heliograph, channel, { from: PHONE, text: 'STOP' });
    expect(await ask('POST', '/consents', GRANT)).toMatchObject({ decision: 'granted', optOut: { scope: 'all' } });
    const optOut = await heliograph.deps.prisma.optOut.findFirstOrThrow({ where: { accountId: channel.account.id } });
    expect(optOut.isActive).toBe(true);
  });

  it('a withdrawal opts out of marketing, or of all messages', async () => {
    const { id } = (await request('POST', '/contacts', { phone: PHONE })).json().data;
    const withdrawal = { contactId: id, decision: 'withdrawn' };
    expect(await ask('POST', '/consents', { ...withdrawal, purpose: 'marketing' })).toMatchObject({
      optOut: { scope: 'marketing' },
    });
    expect(await ask('GET', `/consents/contacts/${id}`)).toMatchObject([
      { purpose: 'marketing', consent: 'withdrawn', optOut: { scope: 'marketing' } },
      { purpose: 'transactional', consent: 'unknown', consentId: null, decidedAt: null, optOut: null },
    ]);
    expect(await ask('POST', '/consents', { ...withdrawal, purpose: 'transactional' })).toMatchObject({
      optOut: { scope: 'all' },
    });
    expect(await ask('GET', `/consents/contacts/${id}`)).toMatchObject([
      { purpose: 'marketing', consent: 'withdrawn', optOut: { scope: 'all' } },
      { purpose: 'transactional', consent: 'withdrawn', optOut: { scope: 'all' } },
    ]);
  });

  it('a withdrawal that is older than a START is stored and opts nobody out', async () => {
    await playInbound(heliograph, channel, { from: PHONE, text: 'STOP' });
    await playInbound(heliograph, channel, { from: PHONE, text: 'START' });
    const withdrawal = { ...GRANT, decision: 'withdrawn', decidedAt: '2020-01-01T00:00:00.000Z' };
    expect(await ask('POST', '/consents', withdrawal)).toMatchObject({ decision: 'withdrawn', optOut: null });
  });

  it.each([
    ['without a person', { phone: undefined }, 'phone'],
    ['with two persons', { contactId: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }, 'contactId'],
    ['for sign-in codes', { purpose: 'verification' }, 'purpose'],
    ['with an unknown decision', { decision: 'maybe' }, 'decision'],
    ['as an operator', { source: 'operator' }, 'source'],
    ['in the future', { decidedAt: '2999-01-01T00:00:00.000Z' }, 'decidedAt'],
    ['without a time zone', { decidedAt: 'yesterday' }, 'decidedAt'],
    ['with a host name as the IP address', { ip: 'shop.example' }, 'ip'],
    ['with a number that is too long', { phone: '1'.repeat(16) }, 'phone'],
  ])('an entry %s gets 400 and is not stored', async (_, change, field) => {
    const response = await request('POST', '/consents', { ...GRANT, ...change });
    expect(response.statusCode, response.body).toBe(400);
    expect(response.body).toContain(field);
    expect(await ask('GET', '/consents')).toMatchObject({ total: 0 });
  });

  it('webhooks that subscribe receive consent.changed for each purpose', async () => {
    const url = 'https://hooks.invalid/consents';
    await ask('POST', '/webhooks', { url, events: ['consent.changed'] });
    await ask('POST', '/webhooks', { url, events: ['contact.updated'] });
    await playInbound(heliograph, channel, { from: PHONE, text: 'STOP' });
    const { id } = await ask('POST', '/consents', GRANT);
    const { rows } = await heliograph.deps.pool.query<{ data: object }>(
      `SELECT d.data FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
       WHERE w.account_id = $1 AND d.type = 'consent.changed'`,
      [channel.account.id],
    );
    const sender = { channel: 'sms', channelId: channel.channelId, sender: channel.phoneNumber, phone: PHONE };
    expect(rows).toHaveLength(3);
    // Both events of a STOP have the same time, so their order is undefined.
    const expected = [
      { ...sender, purpose: 'marketing', decision: 'withdrawn', source: 'keyword' },
      { ...sender, purpose: 'transactional', decision: 'withdrawn', source: 'keyword' },
      { ...sender, consentId: id, purpose: 'marketing', decision: 'granted', source: 'api' },
    ];
    for (const data of expected) expect(rows).toContainEqual({ data: expect.objectContaining(data) });
  });
});
