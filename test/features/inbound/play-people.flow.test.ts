import { expect, it } from 'vitest';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const heliograph = suiteApp();
const channel = forSuite(() => createTestChannel(heliograph.deps));
const ADA = { userId: 'US.13491208655302741918', username: '@ada' };

it('a reply to a simulated person without a number goes to the user ID', async () => {
  const response = await playInbound(heliograph, channel, { ...ADA, text: 'Hello' });
  expect(response.statusCode).toBe(200);
  const { contactId } = response.json().data;
  const contact = await call(heliograph, channel, 'GET', `/contacts/${contactId}`);
  expect(contact.json().data).toMatchObject({ phone: null, userId: ADA.userId, username: 'ada' });
  const reply = await call(heliograph, channel, 'POST', '/messages/reply', { userId: ADA.userId, message: 'Hi' });
  const { messageId } = reply.json().data;
  await waitFor('it to be delivered', async () => {
    const status = await call(heliograph, channel, 'GET', `/messages/status/${messageId}`);
    return status.json().data.status === 'delivered';
  });
});

it('an SMS fallback is refused while the number is unknown', async () => {
  const headers = channel.account.headers;
  const fallback = { channel: 'sms', from: 'Shop' };
  const template = { template_id: 'no_such_template', template_data: { language: { code: 'en_US' } } };
  const payload = { userId: ADA.userId, from: channel.phoneNumber, ...template, message: 'Hello', fallback };
  const sendResponse = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
  const { message_id } = sendResponse.json().data[0];
  await waitFor('the fallback to be refused', async () => {
    const statusResponse = await heliograph.app.inject({ url: `/v2/messages/${message_id}`, headers });
    return statusResponse.json().data.fallback?.error?.code === 'NO_NUMBER';
  });
});

it('an SMS fallback uses a number that became known after the send', async () => {
  const api = await testApp({ role: 'api' });
  let worker: TestApp | undefined;
  try {
    const ownChannel = await createTestChannel(api.deps);
    const { headers } = ownChannel.account;
    await playInbound(api, ownChannel, { ...ADA, text: 'Hello' });
    const fallback = { channel: 'sms', from: 'Shop' };
    const template = { template_id: 'no_such_template', template_data: { language: { code: 'en_US' } } };
    const payload = { userId: ADA.userId, from: ownChannel.phoneNumber, ...template, message: 'Hello', fallback };
    const sendResponse = await api.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
    const { message_id } = sendResponse.json().data[0];
    await playInbound(api, ownChannel, { ...ADA, from: '15005550111', text: 'Hello' });
    worker = await testApp({ role: 'worker', sharesWith: api });
    await waitFor('the fallback', async () => {
      const statusResponse = await api.app.inject({ url: `/v2/messages/${message_id}`, headers });
      return statusResponse.json().data.fallback?.state === 'accepted';
    });
    const sms = await api.deps.prisma.message.findFirstOrThrow({
      where: { accountId: ownChannel.account.id, kind: 'sms' },
    });
    expect(sms.recipient).toBe('15005550111');
  } finally {
    await worker?.close();
    await api.close();
  }
});

it.each([
  [{}, 'from'],
  [{ userId: 'ada' }, 'userId'],
  [{ userId: 'US.1', parentUserId: 'US.2' }, 'parentUserId'],
])('the simulator refuses the sender %j', async (sender, field) => {
  const refusal = await playInbound(heliograph, channel, { ...sender, text: 'Hello' });
  expect(refusal.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: [{ field }] } });
});

it('the simulator refuses user IDs on an SMS channel', async () => {
  const sms = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
  const refusal = await playInbound(heliograph, sms, { ...ADA, text: 'Hello' });
  expect(refusal.json()).toMatchObject({ error: { details: [{ field: 'userId' }] } });
});
