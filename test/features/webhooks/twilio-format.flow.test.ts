import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { computeTwilioSignature } from '../../../src/features/webhooks/twilio/signature.js';
import { parseSid, toSid } from '../../../src/platform/text/sids.js';
import { balanceOf } from '../../support/accounts.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { closedAfter } from '../../support/for-suite.js';
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

const client = closedAfter(async () => {
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

const requestsTo = (path: string) => client.requests.filter(({ url }) => new URL(url).pathname === path);
const listed = async () => {
  const answer = await callTwilio(heliograph, channel.account, 'GET', '/Messages.json');
  const all = answer.json().messages as { body: string; to: string; from: string; status: string; direction: string }[];
  return all.filter(({ direction }) => direction === 'outbound-api');
};
const hook = (path: string, as: TestChannel, body: object = {}) =>
  call(heliograph, as, 'POST', '/webhooks', {
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
  it('gets each status as a form, signed over its URL with the account’s secret', async () => {
    const rotated = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/callback-secret',
      headers: channel.account.headers,
    });
    const { secret } = rotated.json().data;
    const asked = `${client.url}/status?order=1&name=%C3%A4`;
    // With connection overrides, which are not part of a request.
    const StatusCallback = `${asked}#rc=3&rp=all`;
    const form = { To: `+${ADA}`, From: 'Shop', Body: 'Hello', StatusCallback };
    const sent = await callTwilio(heliograph, channel.account, 'POST', '/Messages.json', form);
    const { sid } = sent.json();
    await waitFor('both statuses', () => requestsTo('/status').length === 2);
    for (const { url, type, fields, signature, token } of requestsTo('/status')) {
      expect(type).toBe('application/x-www-form-urlencoded; charset=utf-8');
      expect(url).toBe(asked);
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
      expect(signature).toBe(computeTwilioSignature(secret, asked, fields));
      expect(token).toMatch(/^[0-9a-f-]{36}$/);
    }
    expect(new Set(requestsTo('/status').map(({ fields }) => fields.MessageStatus)).size).toBe(2);
    const shown = await callTwilio(heliograph, channel.account, 'GET', `/Messages/${sid}.json`);
    expect(shown.json()).toMatchObject({ status: 'delivered', price: expect.stringMatching(/^-\d+\.\d{5,6}$/) });
    expect(shown.json().date_sent).toMatch(/\+0000$/);
    const redacted = await callTwilio(heliograph, channel.account, 'POST', `/Messages/${sid}.json`, { Body: '' });
    expect(redacted.json()).toMatchObject({ body: '', sid });
    expect((await callTwilio(heliograph, channel.account, 'DELETE', `/Messages/${sid}.json`)).statusCode).toBe(204);
  });

  it('with the same host gets the standard format if `/v2/send` names it', async () => {
    const payload = { to: ADA, from: 'Shop', message: 'Hello', callback_url: `${client.url}/standard` };
    const { headers } = channel.account;
    await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
    const StatusCallback = `${client.url}/twilio`;
    const form = { To: `+${ADA}`, From: 'Shop', Body: 'Hello', StatusCallback };
    await callTwilio(heliograph, channel.account, 'POST', '/Messages.json', form);
    await waitFor('all four', () => requestsTo('/twilio').length === 2 && requestsTo('/standard').length === 2);
    expect(new Set(requestsTo('/standard').map(({ type }) => type))).toEqual(new Set(['application/json']));
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
  it('reports an inbound message, and sends the TwiML reply once', async () => {
    const made = await hook('/inbound', sms, { authToken: TOKEN });
    expect(made.statusCode, made.body).toBe(200);
    expect(made.json().data).toMatchObject({ format: 'twilio', secret: TOKEN });
    const before = await balanceOf(heliograph.deps, channel.account.id);
    client.behaviour.answer =
      '<?xml version="1.0" encoding="UTF-8"?>\n<Response><!-- two --><Message>Thanks &amp; bye &#128512;</Message>' +
      '<Message><Body> More </Body></Message></Response>';
    expect((await playInbound(heliograph, sms, { from: ADA, text: 'Hello' })).statusCode).toBe(200);
    await waitFor('the form', () => requestsTo('/inbound').length === 1);
    const [{ url, fields, signature } = {} as ReceivedRequest] = requestsTo('/inbound');
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
      const replies = (await listed()).filter(({ from }) => from === `+${sms.phoneNumber}`);
      return (
        replies
          .map(({ body }) => body)
          .sort()
          .join() === ['More', 'Thanks & bye 😀'].sort().join()
      );
    });
    expect(await balanceOf(heliograph.deps, channel.account.id)).toBeLessThan(before);
    // A repetition gets the same answer even after a day, when the idempotency key has been deleted.
    await heliograph.deps.prisma.idempotencyKey.deleteMany({ where: { accountId: channel.account.id } });
    const { data } = (await call(heliograph, sms, 'GET', `/webhooks/${made.json().data.id}/deliveries`)).json();
    const [delivery] = data.deliveries;
    expect(delivery.body).toContain('Body=Hello');
    await call(heliograph, sms, 'POST', `/webhooks/${made.json().data.id}/deliveries/${delivery.id}/replay`);
    await waitFor('the replay', () => requestsTo('/inbound').length === 2);
    await waitFor('its result', async () => {
      const again = (await call(heliograph, sms, 'GET', `/webhooks/${made.json().data.id}/deliveries`)).json();
      return again.data.deliveries[0].attempts === 2;
    });
    expect((await listed()).filter(({ from }) => from === `+${sms.phoneNumber}`)).toHaveLength(2);
    await call(heliograph, sms, 'DELETE', `/webhooks/${made.json().data.id}`);
  });

  it('logs why a TwiML reply was not sent, and gets the event only once', async () => {
    const made = await hook('/refused', channel);
    const { id } = made.json().data;
    expect(made.json().data.secret).toMatch(/^[0-9a-f]{32}$/);
    const count = (await listed()).length;
    for (const [answer, why] of [
      ['<Response><Play>x</Play></Response>', 'is not supported'],
      ['<!DOCTYPE x [<!ENTITY a "b">]><Response/>', 'document type'],
      ['<Response><Message>&a;</Message></Response>', 'entity'],
      ['<Response><Message to="+15005550999">x</Message></Response>', 'must be the sender'],
      ['<Response><Message><Media>https://example.com/a.png</Media></Message></Response>', 'Media'],
      [`<Response>${'<Message>x</Message>'.repeat(11)}</Response>`, 'more than 10'],
    ] as const) {
      client.behaviour.answer = answer;
      const text = `About ${why}`;
      await playInbound(heliograph, channel, { from: ADA, text });
      await waitFor('the note', async () => {
        const { data } = (await call(heliograph, channel, 'GET', `/webhooks/${id}/deliveries`)).json();
        const last = data.deliveries[0];
        return last?.status === 'delivered' && String(last.lastError).includes(why);
      });
    }
    expect((await listed()).length).toBe(count);
    await call(heliograph, channel, 'DELETE', `/webhooks/${id}`);
  });

  it('of the account reports messages of every channel, with WhatsApp fields', async () => {
    const made = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/webhooks',
      headers: channel.account.headers,
      payload: { url: `${client.url}/account`, events: ['message.received'], format: 'twilio', auth_token: TOKEN },
    });
    expect(made.json().data, made.body).toMatchObject({ format: 'twilio', secret: TOKEN });
    await playInbound(heliograph, channel, { from: ADA, text: 'Hello' });
    await waitFor('the form', () => requestsTo('/account').length === 1);
    expect(requestsTo('/account')[0]?.fields).toMatchObject({
      From: `whatsapp:+${ADA}`,
      To: `whatsapp:+${channel.phoneNumber}`,
      WaId: ADA,
      ProfileName: expect.any(String),
      MessageType: 'text',
    });
  });

  it('reports which button or row was tapped, and in which message', async () => {
    await hook('/pressed', channel);
    /** The carrier assigns an ID, as carriers with quotes do. */
    const sendPicture = async ({ account, phoneNumber }: TestChannel, carrierMessageId: string) => {
      const answer = await callTwilio(heliograph, account, 'POST', '/Messages.json', {
        ...{ To: `whatsapp:+${ADA}`, From: `whatsapp:+${phoneNumber}` },
        MediaUrl: 'https://example.com/picture.jpg',
      });
      const { sid } = answer.json();
      const messageId = parseSid(sid, 'MM') as string;
      const reference = { carrier: 'simulator', carrierMessageId, messageId };
      await heliograph.deps.prisma.carrierReference.create({ data: reference });
      return sid;
    };
    const sid = await sendPicture(channel, 'wamid.ours');
    await sendPicture(await createTestChannel(heliograph.deps), 'wamid.of-another-account');
    const press = async (payload: object) => {
      const count = requestsTo('/pressed').length;
      await playInbound(heliograph, channel, { from: ADA, text: 'Yes', type: 'interactive', payload });
      await waitFor('the form', () => requestsTo('/pressed').length > count);
      return requestsTo('/pressed').at(-1)?.fields as Record<string, string>;
    };
    const context = { id: 'wamid.ours' };
    const button = await press({ type: 'button_reply', button_reply: { id: 'yes-7', title: 'Yes' }, context });
    expect(button).toMatchObject({
      ...{ MessageType: 'interactive', Body: 'Yes', ButtonText: 'Yes', ButtonPayload: 'yes-7' },
      OriginalRepliedMessageSid: sid,
      OriginalRepliedMessageSender: `whatsapp:+${channel.phoneNumber}`,
    });
    const row = await press({
      ...{ type: 'list_reply', list_reply: { id: 'row-2', title: 'Yes', description: 'x' } },
      context: { id: 'wamid.of-another-account' },
    });
    expect(row).toMatchObject({ Body: 'Yes', ListId: 'row-2', ListTitle: 'Yes' });
    expect(Object.keys(row).filter((name) => /^(Button|Original)/.test(name))).toEqual([]);
  });

  it('refuses fields of other formats, and other formats refuse its fields', async () => {
    for (const [body, field] of [
      [{ verifyToken: 'x' }, 'verifyToken'],
      [{ appSecret: 'x' }, 'appSecret'],
      [{ format: 'standard', authToken: 'x' }, 'authToken'],
      [{ events: ['contact.updated'] }, 'events[0]'],
    ] as const) {
      const answer = await hook('/x', channel, body);
      expect(answer.statusCode, answer.body).toBe(400);
      expect(answer.body).toContain(field);
    }
    const answer = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/webhooks',
      headers: channel.account.headers,
      payload: { url: client.url, events: ['message.received'], auth_token: TOKEN },
    });
    expect([answer.statusCode, answer.json().data.errors[0].field]).toEqual([400, 'auth_token']);
  });
});
