import { beforeAll, describe, expect, it } from 'vitest';
import { createChannel } from '../../../src/features/channels/channels.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV2, ISO_MILLISECONDS, NUMBER, sendV2, UUID_V7 } from './requests.js';

const CHANNEL_NUMBER = '15005550100';
const SMS = { to: NUMBER, from: 'Heliograph', message: 'Hello' };
const WHATSAPP = { to: NUMBER, from: CHANNEL_NUMBER, channel: 'whatsapp', message: 'Hello' };

const heliograph = sharedApp();
let account: TestAccount;
let channelId: string;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  const channel = await createChannel(heliograph.deps.prisma, {
    accountId: account.id,
    kind: 'whatsapp',
    name: 'Main',
    phoneNumber: CHANNEL_NUMBER,
    carrier: 'simulator',
    isDefault: true,
  });
  channelId = channel.id;
});

const send = (body: unknown) => sendV2(heliograph.app, account, body);

async function sendAndRead(body: unknown) {
  const response = await send(body);
  expect(response.json()).toMatchObject({ status: 'success' });
  const id = response.json().data[0].message_id;
  return heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
}

describe('POST /v2/send, the request', () => {
  it('requires a string or an array of strings in to', async () => {
    expect(await sendAndRead(SMS)).toMatchObject({ recipient: NUMBER, recipientPlus: false });
    const response = await send({ ...SMS, to: ['15005550111', '15005550112', '15005550111'] });
    expect(response.json().data.map(({ to }: { to: string }) => to)).toEqual([
      '15005550111',
      '15005550112',
      '15005550111',
    ]);
    expectErrorV2(await send({ from: 'x', message: 'x' }), 400, ['to']);
    for (const to of [15005550111, null, {}]) expectErrorV2(await send({ ...SMS, to }), 400, ['to']);
    const rule = (index: number) => `to[${index}] must be a phone number of at most 18 characters, as a string`;
    for (const to of [[15005550111], [null], [[NUMBER]], [{}]]) {
      expectErrorV2(await send({ ...SMS, to }), 400, ['to[0]'], rule(0));
    }
    expectErrorV2(await send({ ...SMS, to: [NUMBER, 14155550123, 'x'] }), 400, ['to[1]'], rule(1));
  });

  it('accepts at most 18 characters in to', async () => {
    expectErrorV2(await send({ ...SMS, to: '1'.repeat(19) }), 400, ['to'], expect.stringContaining('18 characters'));
    expectErrorV2(await send({ ...SMS, to: [NUMBER, '1'.repeat(19)] }), 400, ['to[1]']);
  });

  it('accepts 1 to 10,000 recipients in to', async () => {
    expectErrorV2(await send({ ...SMS, to: [] }), 400, ['to']);
    expectErrorV2(await send({ ...SMS, to: Array(10_001).fill(NUMBER) }), 400, ['to']);
    const richAccount = await createTestAccount(heliograph.deps, { creditMicros: 1_000_000_000n });
    const response = await sendV2(heliograph.app, richAccount, { ...SMS, to: Array(10_000).fill(NUMBER) });
    expect(response.json().data).toHaveLength(10_000);
  });

  it('accepts only phone numbers without special characters in to', async () => {
    for (const to of ['+15005550111', '1 500 555 0111', '1-500-5550111', ' 15005550111', '']) {
      expectErrorV2(await send({ ...SMS, to }), 400, ['to'], expect.stringContaining('phone number'));
      expectErrorV2(await send({ ...SMS, to: [NUMBER, to] }), 400, ['to[1]'], expect.stringContaining('phone number'));
    }
    for (const to of ['150055', '1500555011112345', '0500555011', '21012345678', '1500555011x']) {
      expectErrorV2(await send({ ...SMS, to }), 400, ['to']);
    }
  });

  it('requires 1 to 18 characters in from', async () => {
    expect(await sendAndRead({ ...SMS, from: '😀'.repeat(18) })).toMatchObject({ sender: '😀'.repeat(18) });
    expectErrorV2(await send({ to: NUMBER, message: 'x' }), 400, ['from'], 'from is required');
    for (const from of ['', 'x'.repeat(19), 'a\nb', 15005550100, null]) {
      expectErrorV2(await send({ ...SMS, from }), 400, ['from'], 'from must be 1 to 18 printable characters');
    }
  });

  it("accepts exactly 'sms' or 'whatsapp' as channel", async () => {
    expect(await sendAndRead({ ...SMS, channel: 'sms' })).toMatchObject({ kind: 'sms', channelId: null });
    expect(await sendAndRead(WHATSAPP)).toMatchObject({ kind: 'whatsapp', channelId, content: null });
    for (const channel of ['SMS', 'WhatsApp', 'sms ', '', 'email', 1, ['sms']]) {
      expectErrorV2(await send({ ...SMS, channel }), 400, ['channel'], 'channel must be sms or whatsapp');
    }
  });

  it('defaults to WhatsApp with template_id, media_url or template_data, and otherwise to SMS', async () => {
    expect(await sendAndRead(SMS)).toMatchObject({ kind: 'sms' });
    const media = { media_url: 'https://example.com/a.png', template_data: { type: 'image' } };
    expect(await sendAndRead({ to: NUMBER, from: 'x', ...media })).toMatchObject({ kind: 'whatsapp' });
    expect(await sendAndRead({ to: NUMBER, from: 'x', template_id: 'unknown_here' })).toMatchObject({
      kind: 'whatsapp',
    });
  });

  it('refuses template_id, media_url and template_data on the channel sms', async () => {
    const fields = { media_url: 'https://example.com/a.png', template_id: 't', template_data: { type: 'image' } };
    for (const [field, value] of Object.entries(fields)) {
      expectErrorV2(await send({ ...SMS, channel: 'sms', [field]: value }), 400, [field]);
    }
    expectErrorV2(await send({ ...SMS, channel: 'sms', ...fields }), 400, [
      'template_id',
      'media_url',
      'template_data',
    ]);
  });

  it('requires a message that is not empty when template_id is absent', async () => {
    for (const channel of ['sms', 'whatsapp', undefined]) {
      expectErrorV2(await send({ to: NUMBER, from: 'x', channel }), 400, ['message']);
      for (const message of ['', '  ', '\n\u00a0']) {
        expectErrorV2(await send({ to: NUMBER, from: 'x', channel, message }), 400, ['message']);
      }
    }
    for (const message of [1, null, ['x'], {}]) expectErrorV2(await send({ ...SMS, message }), 400, ['message']);
  });

  it('does not require a message when template_id is present, and treats an empty one as absent', async () => {
    expect(await sendAndRead({ to: NUMBER, from: 'x', template_id: 'unknown_here' })).toMatchObject({ body: '' });
    const bodyWithEmptyMessage = { to: NUMBER, from: 'x', template_id: 'unknown_here', message: '' };
    expect(await sendAndRead(bodyWithEmptyMessage)).toMatchObject({ body: '' });
  });

  it('accepts a priority from 0 to 3, by default 0', async () => {
    expect((await sendAndRead(SMS)).priority).toBe(0);
    for (const priority of [0, 1, 2, 3]) expect((await sendAndRead({ ...SMS, priority })).priority).toBe(priority);
    for (const priority of [4, -1, 1.5, '1', true, [1]]) {
      expectErrorV2(await send({ ...SMS, priority }), 400, ['priority'], 'priority must be an integer from 0 to 3');
    }
  });

  it('requires an http or https URL in media_url', async () => {
    const media = { to: NUMBER, from: 'x', template_data: { type: 'image' } };
    for (const media_url of ['http://example.com/a', 'https://example.com:8443/a.png?b=c#d', 'HTTPS://EXAMPLE.COM/']) {
      expect(await sendAndRead({ ...media, media_url })).toMatchObject({ content: { type: 'image', url: media_url } });
    }
    for (const media_url of [
      '',
      'nothing',
      '/a.png',
      'ftp://example.com/a',
      'https://',
      'https://a b/c',
      'javascript:1',
      1,
    ]) {
      expectErrorV2(await send({ ...media, media_url }), 400, ['media_url'], expect.stringContaining('URL'));
    }
  });

  it('accepts the name of a WhatsApp template in template_id', async () => {
    expect((await sendAndRead({ to: NUMBER, from: 'x', template_id: 'unknown_here' })).content).toEqual({
      type: 'template',
      name: 'unknown_here',
      language: 'en_US',
      components: [],
    });
    for (const template_id of ['', 1, 'x'.repeat(513)]) {
      expectErrorV2(await send({ to: NUMBER, from: 'x', template_id }), 400, ['template_id']);
    }
  });

  it('accepts template_data only together with template_id or media_url', async () => {
    for (const template_data of [{}, { type: 'image' }, { name: 't' }]) {
      expectErrorV2(await send({ ...SMS, template_data }), 400, ['template_data']);
    }
    expectErrorV2(await send({ to: NUMBER, from: 'x', template_data: {} }), 400, ['template_data', 'message']);
    for (const template_data of ['x', [], 1]) {
      expectErrorV2(await send({ to: NUMBER, from: 'x', template_id: 't', template_data }), 400, ['template_data']);
    }
  });

  it('treats an optional field that is null as absent, even in a nested object', async () => {
    const optionalFields = {
      channel: null,
      priority: null,
      media_url: null,
      template_id: null,
      template_data: null,
      preview_url: null,
      scheduled_at: null,
      validity_period: null,
      fallback: null,
      unknown: null,
    };
    expect(await sendAndRead({ ...SMS, ...optionalFields })).toMatchObject({
      kind: 'sms',
      priority: 0,
      scheduledAt: null,
    });
    const parameter = { type: 'text', text: 'x' };
    const component = { type: 'body', sub_type: null, index: null, parameters: [{ ...parameter, payload: null }] };
    const template_data = {
      type: null,
      name: null,
      language: null,
      components: [component, { type: 'x', parameters: null }],
    };
    const template = {
      ...optionalFields,
      to: NUMBER,
      from: 'x',
      message: null,
      template_id: 'unknown_here',
      template_data,
    };
    expect((await sendAndRead(template)).content).toEqual({
      type: 'template',
      name: 'unknown_here',
      language: 'en_US',
      components: [{ type: 'body', parameters: [parameter] }, { type: 'x' }],
    });
    for (const field of ['to', 'from'] as const) expectErrorV2(await send({ ...SMS, [field]: null }), 400, [field]);
    expectErrorV2(await send({ ...SMS, message: null }), 400, ['message']);
    const fallback = { channel: 'sms', from: null };
    expectErrorV2(await send({ ...WHATSAPP, fallback }), 400, ['fallback.from']);
    expect(await sendAndRead({ ...WHATSAPP, fallback: { channel: 'sms', from: 'Shop', message: null } })).toMatchObject(
      {
        content: { fallback: { from: 'Shop' } },
      },
    );
  });

  it('is the same for an Idempotency-Key with and without null fields', async () => {
    const headers = { 'idempotency-key': 'nulls' };
    const firstResponse = await sendV2(heliograph.app, account, SMS, headers);
    const secondResponse = await sendV2(heliograph.app, account, { ...SMS, priority: null }, headers);
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect(secondResponse.json()).toEqual(firstResponse.json());
  });

  it('names every invalid field at once', async () => {
    const response = await send({ to: [], from: '', channel: 'SMS', message: 1, priority: 9, media_url: 'x' });
    expectErrorV2(response, 400, ['to', 'from', 'channel', 'message', 'priority', 'media_url']);
    for (const { message } of response.json().data.errors) expect(response.json().message).toContain(message);
  });

  it('names ten of many invalid numbers, and counts the others', async () => {
    const response = await send({ ...SMS, to: Array(30).fill('x') });
    expect(response.json().data.errors).toHaveLength(10);
    expect(response.json().message).toMatch(/and 20 more$/);
  });
});

describe('POST /v2/send, the response of a success', () => {
  it("has status 'success', a message, the code 200 and an entry in data per recipient", async () => {
    const to = ['15005550111', '15005550112'];
    const response = await send({ ...SMS, to });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      status: 'success',
      message: expect.any(String),
      code: 200,
      data: to.map((number) => ({
        message_id: expect.stringMatching(UUID_V7),
        message_count: 1,
        from: SMS.from,
        to: number,
        message: SMS.message,
        timestamp: expect.stringMatching(ISO_MILLISECONDS),
      })),
    });
    expect(response.json().message).not.toBe('');
  });

  it('has the message "Message sent successfully" for one recipient, and a count for several', async () => {
    for (const to of [NUMBER, [NUMBER]]) {
      expect((await send({ ...SMS, to })).json().message).toBe('Message sent successfully');
    }
    expect((await send({ ...WHATSAPP })).json().message).toBe('Message sent successfully');
    expect((await send({ ...SMS, to: [NUMBER, NUMBER] })).json().message).toBe('2 messages accepted');
  });

  it('has the number of segments in message_count', async () => {
    expect((await send({ ...SMS, message: 'x'.repeat(307) })).json().data[0].message_count).toBe(3);
  });
});

describe('POST /v2/send, the response of an error', () => {
  it("has status 'error', a message, an integer code and data", async () => {
    const response = await send({});
    expectErrorV2(response, 400, ['to', 'from']);
    expect(response.json().code).toBe(400);
  });
});

describe('limits of /v2/send', () => {
  it('allow 4096 characters in a WhatsApp text', async () => {
    const text =
      'WhatsApp message content cannot exceed 4096 characters. Please shorten your message or use a template.';
    expect(await sendAndRead({ ...WHATSAPP, message: 'x'.repeat(4096) })).toMatchObject({ body: 'x'.repeat(4096) });
    expect((await send({ ...WHATSAPP, message: '😀'.repeat(4096) })).statusCode).toBe(200);
    expectErrorV2(await send({ ...WHATSAPP, message: 'x'.repeat(4097) }), 400, ['message'], text);
    expectErrorV2(await send({ ...WHATSAPP, message: '😀'.repeat(4097) }), 400, ['message'], text);
  });

  it('allow 1024 characters in a WhatsApp caption', async () => {
    const text = 'WhatsApp media captions cannot exceed 1024 characters. Please shorten your caption.';
    for (const type of ['image', 'document']) {
      const media = { to: NUMBER, from: 'x', media_url: 'https://example.com/a', template_data: { type } };
      expect((await send({ ...media, message: 'x'.repeat(1024) })).statusCode).toBe(200);
      expect((await send({ ...media, message: '😀'.repeat(1024) })).statusCode).toBe(200);
      expectErrorV2(await send({ ...media, message: 'x'.repeat(1025) }), 400, ['message'], text);
      expectErrorV2(await send({ ...media, message: '😀'.repeat(1025) }), 400, ['message'], text);
    }
  });

  it('do not apply to WhatsApp templates', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'x'.repeat(20_000) }] }];
    const body = { to: NUMBER, from: 'x', template_id: 'long_one', template_data: { components } };
    expect(await sendAndRead({ ...body, message: 'x'.repeat(20_000) })).toMatchObject({
      body: 'x'.repeat(20_000),
      content: { type: 'template', name: 'long_one', components },
    });
  });

  it('count every WhatsApp message as one, whatever its length', async () => {
    const response = await send({ ...WHATSAPP, message: 'x'.repeat(4096) });
    expect(response.json().data[0].message_count).toBe(1);
    const { id } = await sendAndRead({ ...WHATSAPP, message: 'x'.repeat(4096) });
    const { prisma } = heliograph.deps;
    expect(await prisma.message.findUniqueOrThrow({ where: { id } })).toMatchObject({ parts: 1, priceMicros: 10_000n });
  });

  it('allow 1600 characters in an SMS, across all segments', async () => {
    expect((await send({ ...SMS, message: '😀'.repeat(1600) })).statusCode).toBe(200);
    expectErrorV2(await send({ ...SMS, message: 'x'.repeat(1601) }), 400, ['message']);
  });
});
