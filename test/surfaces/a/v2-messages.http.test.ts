import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV2, get, ISO_MILLISECONDS, NUMBER, sendSms, sendV2 } from './requests.js';

const SMS = { to: NUMBER, from: 'Heliograph', message: 'Hello' };

const heliograph = sharedApp();
let channel: TestChannel;
let account: TestAccount;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  account = channel.account;
});

const getMessage = async (id: string) => (await get(heliograph.app, `/v2/messages/${id}`, account)).json().data;
const waitForStatus = (id: string, status: string) =>
  waitFor(`the message to be ${status}`, async () => {
    const data = await getMessage(id);
    return data.status === status && data;
  });
async function sendMessage(body: object): Promise<string> {
  const response = await sendV2(heliograph.app, account, { ...SMS, ...body });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data[0].message_id;
}
const readSteps = (data: { history: { status: string; timestamp: string }[] }) => {
  for (const { timestamp } of data.history) expect(timestamp).toMatch(ISO_MILLISECONDS);
  const times = data.history.map(({ timestamp }) => timestamp);
  expect(times).toEqual([...times].sort());
  return data.history.map(({ status }) => status);
};

describe('GET /v2/messages/{message_id}', () => {
  it('returns everything known about a delivered SMS', async () => {
    const id = await sendMessage({ priority: 3 });
    const data = await waitForStatus(id, 'delivered');
    expect(data).toEqual({
      message_id: id,
      channel: 'sms',
      from: 'Heliograph',
      to: NUMBER,
      userId: null,
      username: null,
      contactId: null,
      message: 'Hello',
      priority: 3,
      purpose: 'transactional',
      held_until: null,
      holds: [],
      status: 'delivered',
      history: expect.any(Array),
      attempts: 1,
      message_count: 1,
      encoding: 'gsm7',
      parts: [{ part: 1, text: 'Hello', status: null, timestamp: null, error: null }],
      price: 0.01,
      currency: 'USD',
      refunded: false,
      error: null,
      scheduled_at: null,
      valid_until: expect.stringMatching(ISO_MILLISECONDS),
      fallback: null,
      fallback_of: null,
      reference: null,
      metadata: null,
    });
    expect(readSteps(data)).toEqual(['queued', 'sending', 'sent', 'delivered']);
  });

  it('shows the parts of a long text with their encoding', async () => {
    const message = `${'x'.repeat(150)}€${'y'.repeat(10)}`;
    const gsmMessage = await getMessage(await sendMessage({ message }));
    expect(gsmMessage).toMatchObject({ encoding: 'gsm7', message_count: 2, price: 0.02 });
    expect(gsmMessage.parts.map(({ text }: { text: string }) => text)).toEqual([`${'x'.repeat(150)}€y`, 'y'.repeat(9)]);
    const unicodeMessage = await getMessage(await sendMessage({ message: 'ж'.repeat(68) + '😀'.repeat(3) }));
    expect(unicodeMessage).toMatchObject({ encoding: 'ucs2', message_count: 2, parts: [{ part: 1 }, { part: 2 }] });
  });

  it('shows why a message failed, and that it was refunded', async () => {
    const data = await waitForStatus(await sendMessage({ to: '15005550001' }), 'failed');
    expect(data).toMatchObject({ error: { code: 'REFUSED', message: expect.any(String) }, refunded: true });
    expect(readSteps(data)).toEqual(['queued', 'sending', 'failed']);
    const undelivered = await waitForStatus(await sendMessage({ to: '15005550002' }), 'undelivered');
    expect(undelivered).toMatchObject({ error: { code: 'UNREACHABLE' }, refunded: false });
  });

  it('counts the attempts', async () => {
    expect(await waitForStatus(await sendMessage({ to: '15005550004' }), 'delivered')).toMatchObject({ attempts: 2 });
  });

  it('returns WhatsApp messages, and SMS of version 1.0 with the number as written', async () => {
    const id = await sendMessage({ channel: 'whatsapp', from: channel.phoneNumber, to: '15005550006' });
    const data = await waitForStatus(id, 'read');
    expect(data).toMatchObject({ channel: 'whatsapp', encoding: null, parts: [{ part: 1, text: 'Hello' }] });
    expect(readSteps(data)).toEqual(['queued', 'sending', 'sent', 'delivered', 'read']);
    const smsResponse = await sendSms(heliograph.app, account, { ...SMS, to: `+${NUMBER}` });
    expect(await getMessage(smsResponse.json().message_id)).toMatchObject({ to: `+${NUMBER}` });
  });

  it.each(['unknown', '../send', newId(), '0'.repeat(300), '%00'])('returns 404 for %s', async (id) => {
    const response = await get(heliograph.app, `/v2/messages/${encodeURIComponent(id)}`, account);
    expect([400, 404]).toContain(response.statusCode);
    expectErrorV2(response, response.statusCode);
  });

  it('does not show messages of another account or of Surface B', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    expectErrorV2(await get(heliograph.app, `/v2/messages/${await sendMessage({})}`, otherAccount), 404);
    const template = { id: newId(), accountId: account.id, channelId: channel.channelId, name: 'hello' };
    const templateFields = { language: 'en_US', category: 'UTILITY', status: 'APPROVED' as const };
    const components = [{ type: 'BODY', text: 'Hello' }];
    await heliograph.deps.prisma.template.create({ data: { ...template, ...templateFields, components } });
    const sendResponse = await heliograph.app.inject({
      method: 'POST',
      url: '/api/v1/messages/template',
      headers: channel.headers,
      payload: { to: NUMBER, templateName: 'hello', language: 'en_US' },
    });
    const { messageId } = sendResponse.json().data;
    expectErrorV2(await get(heliograph.app, `/v2/messages/${messageId}`, account), 404);
  });
});
