import { describe, expect, it } from 'vitest';
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
const request = async (method: 'GET' | 'PUT', path = '', body?: object) => {
  const { channel, operator } = fixture;
  const response = await operator.ask(method, `/accounts/${channel.account.id}${path}/keyword-replies`, body);
  return { status: response.statusCode, ...response.json() };
};
const setChannel = (body: object) => request('PUT', `/channels/${fixture.channel.channelId}`, body);

describe('/admin/v1/accounts/:accountId/keyword-replies', () => {
  it('replies are off by default, and are turned on for the account and off for a channel', async () => {
    const { data } = await request('GET');
    expect(data).toMatchObject({
      account: { isOn: false, language: 'en', name: null, contact: null, texts: {} },
      languages: expect.arrayContaining(['de', 'en', 'fr']),
      channels: [{ id: fixture.channel.channelId, isOn: null, isCarrierReplying: false, sends: false }],
    });
    const saved = await request('PUT', '', { isOn: true, name: 'Acme', contact: '1500', texts: { help: 'Call 1500' } });
    expect(saved.data).toMatchObject({
      account: { isOn: true, name: 'Acme', language: 'en', texts: { help: 'Call 1500' } },
      channels: [{ sends: true, sentTexts: { help: 'Call 1500', stop: expect.stringMatching(/^Acme: /) } }],
    });
    expect((await setChannel({ isOn: false })).data.channels).toMatchObject([{ isOn: false, sends: false }]);
    expect((await setChannel({ isOn: null, texts: { stop: 'Bye' } })).data.channels).toMatchObject([
      { isOn: null, sends: true, sentTexts: { stop: 'Bye' } },
    ]);
    expect((await request('PUT', '', { texts: { help: null } })).data.account.texts).toEqual({});
    const entries = await heliograph.deps.prisma.auditLine.findMany({
      where: { accountId: fixture.channel.account.id },
      orderBy: { id: 'asc' },
    });
    expect(entries.map(({ action }) => action)).toEqual([
      'account.keywordReplies',
      'channel.keywordReplies',
      'channel.keywordReplies',
      'account.keywordReplies',
    ]);
  });

  it.each([
    ['contact', { isOn: true }],
    ['language', { language: 'tlh' }],
    ['name', { name: 'x'.repeat(31) }],
    ['texts.help', { texts: { help: ' ' } }],
    ['texts.stop', { texts: { stop: 'x'.repeat(481) } }],
    ['texts.stop', { texts: { stop: 'Stop!' } }],
    ['texts.help', { texts: { help: 'HELP' } }],
  ])('refuses a wrong %s', async (field, body) => {
    const { status, error } = await request('PUT', '', body);
    expect(status).toBe(400);
    expect(error.details).toMatchObject([{ field }]);
    expect((await request('GET')).data.account.isOn).toBe(false);
  });

  it('refuses a text that is an opt-out word of the account', async () => {
    const { channel, operator } = fixture;
    await operator.ask('POST', `/accounts/${channel.account.id}/opt-outs/words`, { word: 'basta', meaning: 'stop' });
    expect((await setChannel({ texts: { help: 'Basta!' } })).status).toBe(400);
  });

  it('a viewer reads the settings but cannot change them', async () => {
    const { channel } = fixture;
    const viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
    const path = `/accounts/${channel.account.id}/keyword-replies`;
    expect((await viewer.ask('GET', path)).statusCode).toBe(200);
    expect((await viewer.ask('PUT', path, { isOn: true, contact: '1500' })).statusCode).toBe(403);
  });

  it('the conversation shows the reply, or why there is none, and so does a simulated message', async () => {
    const { channel, operator } = fixture;
    await request('PUT', '', { isOn: true, contact: '1500' });
    const base = `/accounts/${channel.account.id}/channels/${channel.channelId}`;
    const simulated = await operator.ask('POST', `${base}/simulator/inbound`, { from: '15005550111', text: 'STOP' });
    expect(simulated.statusCode, simulated.body).toBe(200);
    await playInbound(heliograph, channel, { from: '15005550111', text: 'STOP' });
    const { conversationId } = simulated.json().data;
    const { data } = (await operator.ask('GET', `${base}/conversations/${conversationId}/messages`)).json();
    const [repeated, reply, first] = data;
    expect(reply).toMatchObject({ direction: 'outbound', text: expect.stringContaining('1500'), keywordReply: null });
    expect(first.keywordReply).toEqual({ messageId: reply.id, code: null, reason: null });
    expect(repeated.keywordReply).toEqual({ messageId: null, code: 'REPEATED', reason: expect.any(String) });
  });
});
