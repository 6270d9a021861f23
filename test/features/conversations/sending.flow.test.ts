import { expect, it } from 'vitest';
import { readBalance } from '../../support/accounts.js';
import { describeFeature } from '../../support/backends.js';
import { call, HELLO, playInbound } from '../../support/channel-calls.js';
import { createChannelWithTemplates, readChannelState } from '../../support/channel-contents.js';
import { forSuite } from '../../support/for-suite.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const PRICE = 10_000n;
const FULL = 100_000_000n;

describeFeature('a send of Surface B that waits for its carrier', (backend) => {
  const clock = new ShiftedClock();
  const api = suiteApp({ backend, role: 'api', clock, settings: { SEND_WAIT_MS: '30000' } });
  suiteApp({ sharesWith: api, role: 'worker', clock });
  const channel = forSuite(() => createChannelWithTemplates(api));

  const sendTemplate = (payload: object = HELLO, server = api, from = channel) =>
    call(server, from, 'POST', '/messages/template', payload);
  const findMessage = async (id: string, from = channel) =>
    (await call(api, from, 'GET', `/messages/status/${id}`)).json().data;

  it("a waiting send of Surface B returns the carrier's ID of a template message from a process that does not send itself", async () => {
    const response = await sendTemplate();
    expect(response.statusCode).toBe(200);
    const { messageId, whatsappMessageId, status } = response.json().data;
    expect(status).toBe('sent');
    expect(whatsappMessageId).toMatch(/^wamid\./);
    const findDelivered = () => findMessage(messageId).then((message) => message.status === 'delivered' && message);
    expect(await waitFor('the message to be delivered', findDelivered)).toMatchObject({ whatsappMessageId });
  });

  it("a waiting send of Surface B returns the carrier's ID of a reply", async () => {
    await playInbound(api, channel, { from: HELLO.to, text: 'Hi' });
    const response = await call(api, channel, 'POST', '/messages/reply', { to: HELLO.to, message: 'Hello' });
    expect(response.json().data).toMatchObject({ status: 'sent', whatsappMessageId: expect.any(String) });
    clock.advance(24 * 3_600_000);
    const lateReply = await call(api, channel, 'POST', '/messages/reply', { to: HELLO.to, message: 'Hello' });
    expect(lateReply.statusCode).toBe(403);
  });

  it('a waiting send of Surface B responds 400 with the reason of a final refusal and refunds the message', async () => {
    const ownChannel = await createChannelWithTemplates(api);
    const response = await sendTemplate({ ...HELLO, to: '15005550001' }, api, ownChannel);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({
      code: 'CARRIER_REFUSED',
      message: expect.stringContaining('The simulator refuses this number.'),
    });
    expect(await readBalance(api.deps, ownChannel.account.id)).toBe(FULL);
    const [message] = await api.deps.prisma.message.findMany({ where: { channelId: ownChannel.channelId } });
    expect(await findMessage(message?.id ?? '', ownChannel)).toMatchObject({ status: 'failed', errorCode: 'REFUSED' });
  });

  it('a waiting send of Surface B waits for a retry after the carrier lost a response once', async () => {
    const response = await sendTemplate({ ...HELLO, to: '15005550004' });
    expect(response.json().data).toMatchObject({ status: 'sent', whatsappMessageId: expect.any(String) });
  });

  it('a waiting send of Surface B creates one contact and one conversation for 50 concurrent sends to a new number', async () => {
    const ownChannel = await createChannelWithTemplates(api);
    const responses = await Promise.all(Array.from({ length: 50 }, () => sendTemplate(HELLO, api, ownChannel)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 200));
    const data = responses.map((response) => response.json().data);
    expect(data.every(({ status }) => status === 'sent')).toBe(true);
    for (const field of ['messageId', 'whatsappMessageId']) {
      expect(new Set(data.map((entry) => entry[field])).size).toBe(50);
    }
    expect(await readChannelState(api, ownChannel)).toEqual({
      messages: 50,
      contacts: 1,
      conversations: 1,
      balance: FULL - 50n * PRICE,
    });
    const { contactCount } = await api.deps.prisma.channel.findUniqueOrThrow({ where: { id: ownChannel.channelId } });
    expect(contactCount).toBe(1);
  });

  it('a waiting send of Surface B sends one message with one result for repeated requests to two processes', async () => {
    const ownChannel = await createChannelWithTemplates(api);
    const otherApp = await testApp({ sharesWith: api, role: 'api', clock });
    try {
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          call(index % 2 ? api : otherApp, ownChannel, 'POST', '/messages/template', HELLO, {
            'idempotency-key': 'shared',
          }),
        ),
      );
      expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
      expect(responses[0]?.json().data.status).toBe('sent');
      expect(await readChannelState(api, ownChannel)).toMatchObject({
        messages: 1,
        contacts: 1,
        balance: FULL - PRICE,
      });
    } finally {
      await otherApp.close();
    }
  });
});

describeFeature('a send of Surface B that no worker processes', (backend) => {
  it('a send of Surface B without a worker responds `queued` after the wait and is still sent; repeating it returns its later status', async () => {
    const api = await testApp({ backend, role: 'api', settings: { SEND_WAIT_MS: '200' } });
    let worker: TestApp | undefined;
    try {
      const channel = await createChannelWithTemplates(api);
      const send = () => call(api, channel, 'POST', '/messages/template', HELLO, { 'idempotency-key': 'patience' });
      const firstResponse = await send();
      expect(firstResponse.statusCode).toBe(200);
      const { messageId, ...rest } = firstResponse.json().data;
      expect(rest).toEqual({
        whatsappMessageId: null,
        contactId: expect.any(String),
        conversationId: expect.any(String),
        status: 'queued',
      });
      expect((await send()).json()).toEqual(firstResponse.json());
      worker = await testApp({ sharesWith: api, role: 'worker' });
      const countSent = async () => {
        const { data } = (await call(api, channel, 'GET', `/messages/status/${messageId}`)).json();
        return data.status === 'delivered' && data;
      };
      const { whatsappMessageId } = await waitFor('the message to be delivered', countSent);
      expect((await send()).json().data).toEqual({ ...rest, messageId, whatsappMessageId, status: 'sent' });
      expect(await readChannelState(api, channel)).toMatchObject({ messages: 1, balance: FULL - PRICE });
    } finally {
      await worker?.close();
      await api.close();
    }
  });
});

it('a server that is shutting down answers waiting sends before its shutdown timeout', async () => {
  const api = await testApp({ role: 'api', settings: { SEND_WAIT_MS: '60000', SHUTDOWN_TIMEOUT_MS: '10000' } });
  try {
    const { headers, channelId } = await createChannelWithTemplates(api);
    const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
    const pendingResponse = fetch(`${url}/api/v1/messages/template`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(HELLO),
    });
    const countAccepted = () => api.deps.prisma.message.count({ where: { channelId } });
    await waitFor('the message to be accepted', countAccepted);
    await api.app.close();
    const response = await pendingResponse;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: { status: 'queued', whatsappMessageId: null } });
  } finally {
    await api.close();
  }
});
