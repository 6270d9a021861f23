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

  const sendTemplate = (payload: object = HELLO, through = api, from = channel) =>
    call(through, from, 'POST', '/messages/template', payload);
  const findMessage = async (id: string, from = channel) =>
    (await call(api, from, 'GET', `/messages/status/${id}`)).json().data;

  it("returns the carrier's ID of a template message from a process that does not send itself", async () => {
    const response = await sendTemplate();
    expect(response.statusCode).toBe(200);
    const { messageId, whatsappMessageId, status } = response.json().data;
    expect(status).toBe('sent');
    expect(whatsappMessageId).toMatch(/^wamid\./);
    const delivered = () => findMessage(messageId).then((each) => each.status === 'delivered' && each);
    expect(await waitFor('the message to be delivered', delivered)).toMatchObject({ whatsappMessageId });
  });

  it("returns the carrier's ID of a reply", async () => {
    await playInbound(api, channel, { from: HELLO.to, text: 'Hi' });
    const response = await call(api, channel, 'POST', '/messages/reply', { to: HELLO.to, message: 'Hello' });
    expect(response.json().data).toMatchObject({ status: 'sent', whatsappMessageId: expect.any(String) });
    clock.advance(24 * 3_600_000);
    const late = await call(api, channel, 'POST', '/messages/reply', { to: HELLO.to, message: 'Hello' });
    expect(late.statusCode).toBe(403);
  });

  it('responds 400 with the reason of a final refusal and refunds the message', async () => {
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

  it('waits for a retry after the carrier lost a response once', async () => {
    const response = await sendTemplate({ ...HELLO, to: '15005550004' });
    expect(response.json().data).toMatchObject({ status: 'sent', whatsappMessageId: expect.any(String) });
  });

  it('creates one contact and one conversation for 50 concurrent sends to a new number', async () => {
    const ownChannel = await createChannelWithTemplates(api);
    const answers = await Promise.all(Array.from({ length: 50 }, () => sendTemplate(HELLO, api, ownChannel)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    const data = answers.map((answer) => answer.json().data);
    expect(data.every(({ status }) => status === 'sent')).toBe(true);
    for (const field of ['messageId', 'whatsappMessageId']) {
      expect(new Set(data.map((each) => each[field])).size).toBe(50);
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

  it('sends one message with one result for repeated requests to two processes', async () => {
    const ownChannel = await createChannelWithTemplates(api);
    const otherApp = await testApp({ sharesWith: api, role: 'api', clock });
    try {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          call(index % 2 ? api : otherApp, ownChannel, 'POST', '/messages/template', HELLO, {
            'idempotency-key': 'shared',
          }),
        ),
      );
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      expect(answers[0]?.json().data.status).toBe('sent');
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
  it('responds `queued` after the wait and is still sent; repeating it returns its later status', async () => {
    const api = await testApp({ backend, role: 'api', settings: { SEND_WAIT_MS: '200' } });
    let worker: TestApp | undefined;
    try {
      const channel = await createChannelWithTemplates(api);
      const send = () => call(api, channel, 'POST', '/messages/template', HELLO, { 'idempotency-key': 'patience' });
      const first = await send();
      expect(first.statusCode).toBe(200);
      const { messageId, ...rest } = first.json().data;
      expect(rest).toEqual({
        whatsappMessageId: null,
        contactId: expect.any(String),
        conversationId: expect.any(String),
        status: 'queued',
      });
      expect((await send()).json()).toEqual(first.json());
      worker = await testApp({ sharesWith: api, role: 'worker' });
      const sent = async () => {
        const { data } = (await call(api, channel, 'GET', `/messages/status/${messageId}`)).json();
        return data.status === 'delivered' && data;
      };
      const { whatsappMessageId } = await waitFor('the message to be delivered', sent);
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
    const answer = fetch(`${url}/api/v1/messages/template`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(HELLO),
    });
    const accepted = () => api.deps.prisma.message.count({ where: { channelId } });
    await waitFor('the message to be accepted', accepted);
    await api.app.close();
    const response = await answer;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: { status: 'queued', whatsappMessageId: null } });
  } finally {
    await api.close();
  }
});
