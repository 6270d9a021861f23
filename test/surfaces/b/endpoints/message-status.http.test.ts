import { describe, expect, it } from 'vitest';
import { newId } from '../../../../src/platform/ids.js';
import { bindSends, call, HELLO } from '../../../support/channel-calls.js';
import { createChannelWithTemplates } from '../../../support/channel-contents.js';
import { createTestChannel } from '../../../support/channels.js';
import { forSuite } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';
import { waitFor } from '../../../support/wait-for.js';

const heliograph = sharedApp();
const channel = forSuite(() => createChannelWithTemplates(heliograph));

const { sendTemplate } = bindSends(heliograph, channel);
const getStatus = (id: string, caller = channel) => call(heliograph, caller, 'GET', `/messages/status/${id}`);

describe('Delivery status (Surface B)', () => {
  const waitForStatus = (id: string, expected: string) =>
    waitFor(`the message to be ${expected}`, async () => {
      const { data } = (await getStatus(id)).json();
      return data.status === expected && data;
    });

  it('returns all fields of a delivered message', async () => {
    const { messageId, whatsappMessageId } = (await sendTemplate(HELLO)).json().data;
    const deliveredStatus = await waitForStatus(messageId, 'delivered');
    expect(deliveredStatus).toEqual({
      id: messageId,
      whatsappMessageId,
      status: 'delivered',
      deliveredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      readAt: null,
      errorCode: null,
      errorMessage: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      purpose: 'transactional',
      heldUntil: null,
    });
    expect(deliveredStatus.deliveredAt >= deliveredStatus.createdAt).toBe(true);
  });

  it('has null in deliveredAt and readAt until the event occurs', async () => {
    const { messageId } = (await sendTemplate({ ...HELLO, to: '15005550005' })).json().data;
    expect((await getStatus(messageId)).json().data).toMatchObject({ status: 'sent', deliveredAt: null, readAt: null });
  });

  it('has the time of reading in readAt', async () => {
    const { messageId } = (await sendTemplate({ ...HELLO, to: '15005550006' })).json().data;
    expect(await waitForStatus(messageId, 'read')).toMatchObject({
      deliveredAt: expect.any(String),
      readAt: expect.any(String),
    });
  });

  it('has the reason of a failure in errorCode and errorMessage', async () => {
    const { messageId } = (await sendTemplate({ ...HELLO, to: '15005550002' })).json().data;
    expect(await waitForStatus(messageId, 'undelivered')).toMatchObject({
      deliveredAt: null,
      errorCode: 'UNREACHABLE',
      errorMessage: 'The simulator could not reach the recipient.',
    });
  });

  it('is available for every message of the channel, including those of /v2/send', async () => {
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: channel.account.headers,
      payload: { to: HELLO.to, from: channel.phoneNumber, channel: 'whatsapp', message: 'Hello' },
    });
    const id = response.json().data[0].message_id;
    expect((await getStatus(id.toUpperCase())).json().data.id).toBe(id);
  });

  it.each([
    ['a malformed ID', () => 'x'],
    ['an unknown ID', () => newId()],
  ])('returns 404 for %s', async (_, id) => {
    const response = await getStatus(id());
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
  });

  it('returns 404 for a message of another account or another channel', async () => {
    const { messageId } = (await sendTemplate(HELLO)).json().data;
    const unknownResponse = await getStatus(newId());
    for (const otherChannel of [
      await createTestChannel(heliograph.deps),
      await createTestChannel(heliograph.deps, channel.account),
    ]) {
      const response = await getStatus(messageId, otherChannel);
      expect(response.statusCode).toBe(404);
      expect(response.body).toBe(unknownResponse.body);
    }
  });

  it('returns 404 for an SMS of the account that belongs to no channel', async () => {
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v1.0/sms/send',
      headers: channel.account.headers,
      payload: { to: HELLO.to, from: 'Heliograph', message: 'Hello' },
    });
    expect((await getStatus(response.json().message_id)).statusCode).toBe(404);
  });
});
