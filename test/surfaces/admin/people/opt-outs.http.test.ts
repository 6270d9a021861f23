import { describe, expect, it } from 'vitest';
import { createAutomation } from '../../../support/automations.js';
import { playInbound } from '../../../support/channel-calls.js';
import { createTestChannel } from '../../../support/channels.js';
import { forEachTest } from '../../../support/for-suite.js';
import { createTestOperator } from '../../../support/operators.js';
import { sharedApp } from '../../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });
const fixture = forEachTest(async () => {
  const channel = await createTestChannel(heliograph.deps);
  const operator = await createTestOperator(heliograph, { role: 'developer', accountId: channel.account.id });
  return { channel, operator };
});
const request = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => {
  const response = await fixture.operator.ask(method, `/accounts/${fixture.channel.account.id}/opt-outs${path}`, body);
  return { status: response.statusCode, ...response.json() };
};

describe('/admin/v1/accounts/:accountId/opt-outs', () => {
  it('opts a number out of a sender, and removes the opt-out', async () => {
    const whatsapp = { kind: 'whatsapp', sender: fixture.channel.phoneNumber, phone: '15005550111' };
    expect((await request('POST', '', { ...whatsapp, phone: '+1 500 555 0111' })).data).toEqual({ done: true });
    await request('POST', '', { kind: 'sms', sender: 'ACME', phone: '15005550111' });
    const { data } = await request('GET', '');
    const expectedFields = { keyword: null, scope: 'all', decidedAt: expect.any(String) };
    expect(data).toEqual([
      { kind: 'sms', sender: 'ACME', phone: '15005550111', userId: null, ...expectedFields },
      { ...whatsapp, userId: null, ...expectedFields },
    ]);
    expect((await request('POST', '/lift', whatsapp)).status).toBe(200);
    expect((await request('GET', '')).data).toMatchObject([{ kind: 'sms' }]);
    expect((await request('POST', '/lift', whatsapp)).status).toBe(404);
    expect((await request('POST', '', { kind: 'whatsapp', sender: '1', phone: '15005550111' })).status).toBe(404);
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: fixture.channel.account.id },
    });
    expect(auditEntries.map(({ action }) => action).sort()).toEqual(['opt-out.add', 'opt-out.add', 'opt-out.remove']);
  });

  it('lists opt-outs page by page, and by part of the number', async () => {
    const phones = Array.from({ length: 5 }, (_, index) => `1500555011${index}`);
    for (const phone of phones) await request('POST', '', { kind: 'sms', sender: 'ACME', phone });
    const foundPhones: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page: Awaited<ReturnType<typeof request>> = await request('GET', `?limit=2${next && `&cursor=${next}`}`);
      foundPhones.push(...page.data.map(({ phone }: { phone: string }) => phone));
      next = page.next;
    }
    expect(foundPhones).toEqual(phones);
    expect((await request('GET', '?search=555-0113')).data).toMatchObject([{ phone: phones[3] }]);
    expect((await request('GET', '?search=ada')).data).toEqual([]);
    for (const key of ['x', 'W10', Buffer.from('["sms","\\u0000","1"]').toString('base64url')]) {
      expect((await request('GET', `?cursor=${key}`)).status).toBe(400);
    }
  });

  describe('opt-outs of a person on WhatsApp', () => {
    const ada = { from: '15005550111', userId: 'US.13491208655302741918' };
    const isBlocked = async () =>
      (await request('GET', '')).data
        .map(({ phone, userId }: { phone: string; userId: string }) => phone ?? userId)
        .sort();
    const receiveFrom = async (sender: object) =>
      (await playInbound(heliograph, fixture.channel, { ...sender, text: 'Hi' })).json().data.contactId as string;
    const postOptOut = (path: '' | '/lift', person: object) =>
      request('POST', path, { kind: 'whatsapp', sender: fixture.channel.phoneNumber, ...person });

    it.each([
      ['phone', () => ({ phone: '+1 500 555 0111' })],
      ['userId', () => ({ userId: ada.userId })],
      ['contactId', (contactId: string) => ({ contactId })],
    ])('apply to all identities of the person when entered by %s', async (_, namePerson) => {
      const person = namePerson(await receiveFrom(ada));
      expect((await postOptOut('', person)).status).toBe(200);
      expect(await isBlocked()).toEqual([ada.from, ada.userId]);
      expect((await request('GET', '?search=us.1349')).data).toMatchObject([{ phone: null, userId: ada.userId }]);
      expect((await postOptOut('/lift', person)).status).toBe(200);
      expect(await isBlocked()).toEqual([]);
    });

    it('can be entered for a person without a number, also by the ID of a merged contact', async () => {
      await receiveFrom({ from: ada.from });
      const contactId = await receiveFrom({ userId: ada.userId });
      await postOptOut('', { contactId });
      expect(await isBlocked()).toEqual([ada.userId]);
      await postOptOut('/lift', { userId: ada.userId });
      await receiveFrom(ada);
      await postOptOut('', { contactId });
      expect(await isBlocked()).toEqual([ada.from, ada.userId]);
    });

    it('can be entered for a person who is not a contact yet, and apply when they write', async () => {
      await postOptOut('', { userId: ada.userId });
      await receiveFrom(ada);
      expect(await isBlocked()).toEqual([ada.from, ada.userId]);
    });

    it.each([
      [{}, 'phone', 'is required unless userId or contactId is sent'],
      [{ phone: '15005550111', userId: ada.userId }, 'userId', 'must not be sent together with phone'],
      [{ userId: 'ada' }, 'userId', 'must be a WhatsApp user ID'],
      [{ kind: 'sms', userId: ada.userId }, 'userId', 'cannot be used with an SMS sender: it is a WhatsApp user ID'],
    ])('are refused for %j', async (person, field, rule) => {
      const { status, error } = await postOptOut('', person);
      expect([status, error.details[0].field]).toEqual([400, field]);
      expect(error.message).toContain(rule);
      expect(await isBlocked()).toEqual([]);
    });

    it('apply on SMS only to the number of the contact', async () => {
      const contactId = await receiveFrom(ada);
      await postOptOut('', { kind: 'sms', sender: 'ACME', contactId });
      expect(await isBlocked()).toEqual([ada.from]);
      const contactWithoutNumber = await receiveFrom({ userId: 'US.2' });
      expect(await postOptOut('', { kind: 'sms', sender: 'ACME', contactId: contactWithoutNumber })).toMatchObject({
        error: { details: [{ field: 'contactId' }] },
      });
      expect((await postOptOut('', { contactId: fixture.operator.id })).status).toBe(404);
    });
  });

  it('lets an account add its own keywords to the common ones', async () => {
    expect((await request('POST', '/words', { word: 'Basta!', meaning: 'stop' })).data).toEqual({
      ...{ word: 'basta', meaning: 'stop', isOwn: true },
    });
    const { data } = await request('GET', '/words');
    expect(data[0]).toEqual({ word: 'basta', meaning: 'stop', isOwn: true });
    expect(data).toContainEqual({ word: 'unsubscribe', meaning: 'stop', isOwn: false });
    expect((await request('POST', '/words', { word: 'stop', meaning: 'start' })).status).toBe(409);
    expect((await request('DELETE', '/words/basta')).data).toEqual({ done: true });
    expect((await request('DELETE', '/words/basta')).status).toBe(404);
  });

  it('refuses a keyword that starts an automation of the account, and names the automation', async () => {
    const steps = [{ type: 'wait', seconds: 60 }];
    await createAutomation(heliograph, fixture.channel, steps, { name: 'Way home', keyword: 'Heim!', isActive: false });
    const refusal = await request('POST', '/words', { word: 'HEIM', meaning: 'stop' });
    expect(refusal).toMatchObject({ status: 409, error: { message: expect.stringContaining('"Way home"') } });
    expect((await request('GET', '/words')).data.filter(({ isOwn }: { isOwn: boolean }) => isOwn)).toEqual([]);
    // A start word does not conflict with the automation, and neither does a keyword of another account.
    expect((await request('POST', '/words', { word: 'heim', meaning: 'start' })).status).toBe(200);
    expect((await request('POST', '/words', { word: 'heim', meaning: 'stop' })).status).toBe(409);
    const otherChannel = await createTestChannel(heliograph.deps);
    await createAutomation(heliograph, otherChannel, steps, { keyword: 'weg' });
    expect((await request('POST', '/words', { word: 'weg', meaning: 'stop' })).status).toBe(200);
    // A stop word that was stored before keywords were checked stays valid, even if it is set again.
    const accountId = fixture.channel.account.id;
    await heliograph.deps.prisma.optOutWord.updateMany({
      where: { accountId, word: 'heim' },
      data: { meaning: 'stop' },
    });
    expect((await request('POST', '/words', { word: 'heim', meaning: 'stop' })).status).toBe(200);
  });
});
