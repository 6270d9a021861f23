import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { computeTwilioSignature } from '../../../src/features/webhooks/twilio/signature.js';
import { parseSid, toSid } from '../../../src/platform/text/sids.js';
import { readBalance } from '../../support/accounts.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { openForSuite } from '../../support/for-suite.js';
import { suiteApp } from '../../support/suite.js';
import { callTwilio } from '../../support/twilio-calls.js';
import { waitFor } from '../../support/wait-for.js';

const ADA = '15005550441';
const TOKEN = '2f1b6c0f4d8a4e0fa3f0c7b1d5e69a87';

interface ReceivedRequest {
  url: string;
  fields: Record<string, string>;
  type: string;
  signature: string;
  token: string;
}

const client = openForSuite(async () => {
  const requests: ReceivedRequest[] = [];
  const behaviour = { answer: '' };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { headers } = request;
    requests.push({
      url: `http://${headers.host}${request.url}`,
      fields: Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())),
      type: String(headers['content-type']),
      signature: String(headers['x-twilio-signature']),
      token: String(headers['i-twilio-idempotency-token']),
    });
    response.writeHead(200, { 'content-type': 'text/xml' }).end(behaviour.answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, requests, behaviour, close };
});
const heliograph = suiteApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
let channel: TestChannel;
let sms: TestChannel;

const listRequests = (path: string) => client.requests.filter(({ url }) => new URL(url).pathname === path);
const listOutbound = async () => {
  const response = await callTwilio(heliograph, channel.account, 'GET', '/Messages.json');
  const messages = response.json().messages as {
    body: string;
    to: string;
    from: string;
    status: string;
    direction: string;
  }[];
  return messages.filter(({ direction }) => direction === 'outbound-api');
};
const addHook = (path: string, target: TestChannel, body: object = {}) =>
  call(heliograph, target, 'POST', '/webhooks', {
    url: `${client.url}${path}`,
    events: ['message.received'],
    format: 'twilio',
    ...body,
  });

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  sms = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
});

beforeEach(() => {
  client.requests.length = 0;
  client.behaviour.answer = '';
});

describe('StatusCallback', () => {
  it('a StatusCallback gets each status as a form, signed over its URL with the account’s secret', async () => {
    const rotation = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/callback-secret',
      headers: channel.account.headers,
    });
    const { secret } = rotation.json().data;
    const requestedUrl = `${client.url}/status?order=1&name=%C3%A4`;
    // The URL's fragment contains Twilio's connection overrides, which are not sent in a request.
    const StatusCallback = `${requestedUrl}#rc=3&rp=all`;
    const form = { To: `+${ADA}`, From: 'Shop', Body: 'Hello', StatusCallback };
    const response = await callTwilio(heliograph, channel.account, 'POST', '/Messages.json', form);
    const { sid } = response.json();
    await waitFor('both statuses', () => listRequests('/status').length === 2);
    for (const { url, type, fields, signature, token } of listRequests('/status')) {
      expect(type).toBe('application/x-www-form-urlencoded; charset=utf-8');
      expect(url).toBe(requestedUrl);
      expect(fields).toEqual({
        MessageSid: sid,
        SmsSid: sid,
        MessageStatus: expect.toBeOneOf(['sent', 'delivered']),
        SmsStatus: fields.MessageStatus,
        To: `+${ADA}`,
        From: 'Shop',
        AccountSid: toSid('AC', channel.account.id),
        ApiVersion: '2010-04-01',
      });
      expect(signature).toBe(computeTwilioSignature(secret, requestedUrl, fields));
      expect(token).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(new Set(listRequests('/status').map(({ fields }) => fields.MessageStatus)).size).toBe(2);
    const messageResponse = await callTwilio(heliograph, channel.account, 'GET', `/Messages/${sid}.json`);
    expect(messageResponse.json()).toMatchObject({
      status: 'delivered',
      price: expect.stringMatching(/^-\d+\.\d{5,6}$/),
    });
    expect(messageResponse.json().date_sent).toMatch(/\+0000$/);
    const redacted = await callTwilio(heliograph, channel.account, 'POST', `/Messages/${sid}.json`, { Body: '' });
    expect(redacted.json()).toMatchObject({ body: '', sid });
    expect((await callTwilio(heliograph, channel.account, 'DELETE', `/Messages/${sid}.json`)).statusCode).toBe(204);
  });

  it('a StatusCallback with the same host gets the standard format if `/v2/send` names it', async () => {
    const payload = { to: ADA, from: 'Shop', message: 'Hello', callback_url: `${client.url}/standard` };
    const { headers } = channel.account;
    await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
    const StatusCallback = `${client.url}/twilio`;
    const form = { To: `+${ADA}`, From: 'Shop', Body: 'Hello', StatusCallback };
    await callTwilio(heliograph, channel.account, 'POST', '/Messages.json', form);
    await waitFor('all four', () => listRequests('/twilio').length === 2 && listRequests('/standard').length === 2);
    expect(new Set(listRequests('/standard').map(({ type }) => type))).toEqual(new Set(['application/json']));
    const rows = await heliograph.deps.prisma.webhook.findMany({
      where: { accountId: channel.account.id, isCallback: true },
    });
    expect(rows.map(({ url, format }) => `${format} ${url}`).sort()).toEqual([
      `standard ${client.url}/`,
      `twilio ${client.url}/#twilio`,
    ]);
  });
});

describe('a webhook in Twilio’s format', () => {
  it('a webhook in Twilio’s format reports an inbound message, and sends the TwiML reply once', async () => {
    const hookResponse = await addHook('/inbound', sms, { authToken: TOKEN });
    expect(hookResponse.statusCode, hookResponse.body).toBe(200);
    expect(hookResponse.json().data).toMatchObject({ format: 'twilio', secret: TOKEN });
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    client.behaviour.answer =
      '<?xml version="1.0" encoding="UTF-8"?>\n<Response><!-- two --><Message>Thanks &amp; bye &#128512;</Message>' +
      '<Message><Body> More </Body></Message></Response>';
    expect((await playInbound(heliograph, sms, { from: ADA, text: 'Hello' })).statusCode).toBe(200);
    await waitFor('the form', () => listRequests('/inbound').length === 1);
    const [{ url, fields, signature } = {} as ReceivedRequest] = listRequests('/inbound');
    expect(fields).toEqual({
      MessageSid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
      SmsSid: fields.MessageSid,
      SmsMessageSid: fields.MessageSid,
      SmsStatus: 'received',
      MessagingServiceSid: toSid('MG', sms.channelId),
      From: `+${ADA}`,
      To: `+${sms.phoneNumber}`,
      Body: 'Hello',
      NumSegments: '1',
      NumMedia: '0',
      AccountSid: toSid('AC', channel.account.id),
      ApiVersion: '2010-04-01',
    });
    expect(signature).toBe(computeTwilioSignature(TOKEN, url, fields));
    await waitFor('both replies', async () => {
      const replies = (await listOutbound()).filter(({ from }) => from === `+${sms.phoneNumber}`);
      return (
        replies
          .map(({ body }) => body)
          .sort()
          .join() === ['More', 'Thanks & bye 😀'].sort().join()
      );
    });
    expect(await readBalance(heliograph.deps, channel.account.id)).toBeLessThan(balanceBefore);
    // Even after the idempotency key was deleted, a replayed webhook must not send its reply again.
    await heliograph.deps.prisma.idempotencyKey.deleteMany({ where: { accountId: channel.account.id } });
    const { data } = (await call(heliograph, sms, 'GET', `/webhooks/${hookResponse.json().data.id}/deliveries`)).json();
    const [delivery] = data.deliveries;
    expect(delivery.body).toContain('Body=Hello');
    await call(heliograph, sms, 'POST', `/webhooks/${hookResponse.json().data.id}/deliveries/${delivery.id}/replay`);
    await waitFor('the replay', () => listRequests('/inbound').length === 2);
    await waitFor('its result', async () => {
      const deliveryList = (
        await call(heliograph, sms, 'GET', `/webhooks/${hookResponse.json().data.id}/deliveries`)
      ).json();
      return deliveryList.data.deliveries[0].attempts === 2;
    });
    expect((await listOutbound()).filter(({ from }) => from === `+${sms.phoneNumber}`)).toHaveLength(2);
    await call(heliograph, sms, 'DELETE', `/webhooks/${hookResponse.json().data.id}`);
  });

  it('a webhook in Twilio’s format logs why a TwiML reply was not sent, and gets the event only once', async () => {
    const hookResponse = await addHook('/refused', channel);
    const { id } = hookResponse.json().data;
    expect(hookResponse.json().data.secret).toMatch(/^[0-9a-f]{32}$/);
    const count = (await listOutbound()).length;
    for (const [response, why] of [
      ['<Response><Play>x</Play></Response>', 'is not supported'],
      ['<!DOCTYPE x [<!ENTITY a "b">]><Response/>', 'document type'],
      ['<Response><Message>&a;</Message></Response>', 'entity'],
      ['<Response><Message to="+15005550999">x</Message></Response>', 'must be the sender'],
      ['<Response><Message><Media>https://example.com/a.png</Media></Message></Response>', 'Media'],
      [`<Response>${'<Message>x</Message>'.repeat(11)}</Response>`, 'more than 10'],
    ] as const) {
      client.behaviour.answer = response;
      const text = `About ${why}`;
      await playInbound(heliograph, channel, { from: ADA, text });
      await waitFor('the note', async () => {
        const { data } = (await call(heliograph, channel, 'GET', `/webhooks/${id}/deliveries`)).json();
        const lastDelivery = data.deliveries[0];
        return lastDelivery?.status === 'delivered' && String(lastDelivery.lastError).includes(why);
      });
    }
    expect((await listOutbound()).length).toBe(count);
    await call(heliograph, channel, 'DELETE', `/webhooks/${id}`);
  });

  it('a webhook in Twilio’s format of the account reports messages of every channel, with WhatsApp fields', async () => {
    const hookResponse = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/webhooks',
      headers: channel.account.headers,
      payload: { url: `${client.url}/account`, events: ['message.received'], format: 'twilio', auth_token: TOKEN },
    });
    expect(hookResponse.json().data, hookResponse.body).toMatchObject({ format: 'twilio', secret: TOKEN });
    await playInbound(heliograph, channel, { from: ADA, text: 'Hello' });
    await waitFor('the form', () => listRequests('/account').length === 1);
    expect(listRequests('/account')[0]?.fields).toMatchObject({
      From: `whatsapp:+${ADA}`,
      To: `whatsapp:+${channel.phoneNumber}`,
      WaId: ADA,
      ProfileName: expect.any(String),
      MessageType: 'text',
    });
  });

  it('a webhook in Twilio’s format reports which button or row was tapped, and in which message', async () => {
    await addHook('/pressed', channel);
    /** Sends a picture and stores a carrier's message ID for it, because button replies refer to that ID. */
    const sendPicture = async ({ account, phoneNumber }: TestChannel, carrierMessageId: string) => {
      const response = await callTwilio(heliograph, account, 'POST', '/Messages.json', {
        ...{ To: `whatsapp:+${ADA}`, From: `whatsapp:+${phoneNumber}` },
        MediaUrl: 'https://example.com/picture.jpg',
      });
      const { sid } = response.json();
      const messageId = parseSid(sid, 'MM') as string;
      const reference = { carrier: 'simulator', carrierMessageId, messageId };
      await heliograph.deps.prisma.carrierReference.create({ data: reference });
      return sid;
    };
    const sid = await sendPicture(channel, 'wamid.ours');
    await sendPicture(await createTestChannel(heliograph.deps), 'wamid.of-another-account');
    const pressButton = async (payload: object) => {
      const count = listRequests('/pressed').length;
      await playInbound(heliograph, channel, { from: ADA, text: 'Yes', type: 'interactive', payload });
      await waitFor('the form', () => listRequests('/pressed').length > count);
      return listRequests('/pressed').at(-1)?.fields as Record<string, string>;
    };
    const context = { id: 'wamid.ours' };
    const button = await pressButton({ type: 'button_reply', button_reply: { id: 'yes-7', title: 'Yes' }, context });
    expect(button).toMatchObject({
      ...{ MessageType: 'interactive', Body: 'Yes', ButtonText: 'Yes', ButtonPayload: 'yes-7' },
      OriginalRepliedMessageSid: sid,
      OriginalRepliedMessageSender: `whatsapp:+${channel.phoneNumber}`,
    });
    const row = await pressButton({
      ...{ type: 'list_reply', list_reply: { id: 'row-2', title: 'Yes', description: 'x' } },
      context: { id: 'wamid.of-another-account' },
    });
    expect(row).toMatchObject({ Body: 'Yes', ListId: 'row-2', ListTitle: 'Yes' });
    expect(Object.keys(row).filter((name) => /^(Button|Original)/.test(name))).toEqual([]);
  });

  it('a webhook in Twilio’s format refuses fields of other formats, and other formats refuse its fields', async () => {
    for (const [body, field] of [
      [{ verifyToken: 'x' }, 'verifyToken'],
      [{ appSecret: 'x' }, 'appSecret'],
      [{ format: 'standard', authToken: 'x' }, 'authToken'],
      [{ events: ['contact.updated'] }, 'events[0]'],
    ] as const) {
      const response = await addHook('/x', channel, body);
      expect(response.statusCode, response.body).toBe(400);
      expect(response.body).toContain(field);
    }
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/webhooks',
      headers: channel.account.headers,
      payload: { url: client.url, events: ['message.received'], auth_token: TOKEN },
    });
    expect([response.statusCode, response.json().data.errors[0].field]).toEqual([400, 'auth_token']);
  });
});
