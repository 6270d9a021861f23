import { describe, expect, it } from 'vitest';
import { call, playInbound } from '../../../support/channel-calls.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { createTestOperator } from '../../../support/operators.js';
import { sharedApp } from '../../../support/suite.js';

const PHONE = '15005550111';
const heliograph = sharedApp({ role: 'api' });
const fixture = forEachTest(async () => {
  const channel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
  const created = await call(heliograph, channel, 'POST', '/contacts', { phone: PHONE });
  return { channel, operator, contactId: created.json().data.id as string };
});
const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
  const { channel, operator } = fixture;
  const base = `/accounts/${channel.account.id}/channels/${channel.channelId}`;
  const response = await operator.ask(method, `${base}${path}`, body);
  expect(response.statusCode, response.body).toBe(200);
  return response;
};
const record = async (purpose: string, decision = 'granted') =>
  (await ask('POST', `/contacts/${fixture.contactId}/consents`, { purpose, decision, wording: 'By phone' })).json()
    .data;
const receive = (text: string) => playInbound(heliograph, fixture.channel, { from: PHONE, text });

describe('consent in the console', () => {
  it('an operator records consent, which the contact and the audit log show', async () => {
    const { optOut, ...entry } = await record('marketing');
    expect(entry).toMatchObject({ purpose: 'marketing', decision: 'granted', source: 'operator', wording: 'By phone' });
    expect(optOut).toBeNull();
    expect((await ask('GET', `/contacts/${fixture.contactId}/consents`)).json().data).toMatchObject({
      current: [
        { purpose: 'marketing', consent: 'granted', consentId: entry.id },
        { purpose: 'transactional', consent: 'unknown' },
      ],
      entries: [entry],
      total: 1,
    });
    const [line] = await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: fixture.channel.account.id },
    });
    expect(line).toMatchObject({ action: 'consent.record', subject: fixture.contactId });
  });

  it("an operator's grant of marketing lifts the opt-out, and one of transactional limits it to marketing", async () => {
    await receive('STOP');
    expect(await record('transactional')).toMatchObject({ optOut: null });
    const readOptOut = () =>
      heliograph.deps.prisma.optOut.findFirstOrThrow({ where: { accountId: fixture.channel.account.id } });
    expect(await readOptOut()).toMatchObject({ isActive: true, marketingOnly: true });
    expect(await record('marketing')).toMatchObject({ optOut: null });
    expect(await readOptOut()).toMatchObject({ isActive: false });
  });

  it('the ledger of a channel is exported as CSV, oldest first', async () => {
    await receive('STOP');
    await record('marketing');
    const { body } = await ask('GET', '/consents/export');
    const lines = body.replace('\uFEFF', '').trim().split('\r\n');
    expect(lines[0]).toMatch(/^phone,userId,purpose,decision,source,/);
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 5))).toEqual([
      [`+${PHONE}`, '', 'marketing', 'withdrawn', 'keyword'],
      [`+${PHONE}`, '', 'transactional', 'withdrawn', 'keyword'],
      [`+${PHONE}`, '', 'marketing', 'granted', 'operator'],
    ]);
  });
});
