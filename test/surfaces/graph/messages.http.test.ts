import { beforeAll, describe, expect, it } from 'vitest';
import { receiveFirstMessage, suiteMeta } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { readBalance } from '../../support/accounts.js';
import { addTemplate } from '../../support/channel-contents.js';
import { callGraph } from '../../support/graph-calls.js';

const ADA = '15005550431';
const PHONE_NUMBER_ID = '106540352242922';
const WAMID = /^wamid\.[0-9A-F]{32}$/;

const { stub, heliograph, channel } = suiteMeta();
let inboundId: string;

const send = (payload: object, extra?: Record<string, string>) =>
  callGraph(
    heliograph,
    channel,
    'POST',
    `/${PHONE_NUMBER_ID}/messages`,
    { messaging_product: 'whatsapp', ...payload },
    extra,
  );
const readLastAccepted = () => stub.accepted.at(-1)?.body ?? {};
const findMessage = (id: string) =>
  heliograph.deps.prisma.message.findUniqueOrThrow({
    where: {
      id: id
        .slice(6)
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
        .toLowerCase(),
    },
  });

beforeAll(async () => {
  inboundId = (await receiveFirstMessage({ stub, heliograph, channel }, ADA)).carrierMessageId;
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  const components = [{ type: 'BODY', text: 'Your order {{1}} is on its way.' }];
  await addTemplate(heliograph, channel, { name: 'order_update', components });
  await addTemplate(heliograph, channel, { name: 'paused', status: 'PAUSED' });
  await addTemplate(heliograph, channel, { name: 'disabled', status: 'DISABLED' });
  await addTemplate(heliograph, channel, { name: 'pending', status: 'PENDING' });
  await addTemplate(heliograph, channel, { name: 'sign_in_code', category: 'AUTHENTICATION' });
  stub.templates.push(
    ...['hello_world', 'order_update'].map((name) => ({
      id: '1',
      name,
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      components: name === 'hello_world' ? [{ type: 'BODY', text: 'Hello' }] : components,
    })),
  );
});

const KINDS: [string, Record<string, unknown>][] = [
  ['text', { type: 'text', text: { body: 'Hello', preview_url: true } }],
  ['image', { type: 'image', image: { link: 'https://example.com/a.jpg', caption: 'Look' } }],
  ['audio', { type: 'audio', audio: { link: 'https://example.com/a.ogg' } }],
  ['video', { type: 'video', video: { link: 'https://example.com/a.mp4', caption: 'See' } }],
  ['sticker', { type: 'sticker', sticker: { link: 'https://example.com/a.webp' } }],
  ['document', { type: 'document', document: { link: 'https://example.com/b.pdf', filename: 'bill.pdf' } }],
  ['location', { type: 'location', location: { latitude: 51.5, longitude: -0.12, name: 'Shop', address: 'A 1' } }],
  ['contacts', { type: 'contacts', contacts: [{ name: { formatted_name: 'Ada L.', first_name: 'Ada' } }] }],
  [
    'interactive',
    {
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'Shall we come?' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
      },
    },
  ],
  ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.HBgLMTUwMDU1NTA0MzEVAgASGBQz', emoji: '👍' } }],
  [
    'template',
    {
      type: 'template',
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1001' }] }],
      },
    },
  ],
];

describe('POST /graph/v26.0/{phone number}/messages', () => {
  it.each(KINDS)('passes a message of the type %s to Meta unchanged', async (type, message) => {
    const response = await send({ recipient_type: 'individual', to: ADA, ...message });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: ADA, wa_id: ADA }],
      messages: [{ id: expect.stringMatching(WAMID), message_status: 'accepted' }],
    });
    expect(readLastAccepted()).toMatchObject({
      messaging_product: 'whatsapp',
      to: `+${ADA}`,
      type,
      [type]: message[type],
    });
    expect(await findMessage(response.json().messages[0].id)).toMatchObject({ surface: 'b', priceMicros: 10_000n });
  });

  it('accepts a formatted number, and infers the type of a message without one', async () => {
    for (const to of [`+${ADA}`, '+1 500-555-0431', '1 (500) 555-0431']) {
      const response = await send({ to, text: { body: 'Hello' } });
      expect(response.json().contacts, response.body).toEqual([{ input: to, wa_id: ADA }]);
    }
    await send({ to: ADA, ...KINDS[6]?.[1], type: undefined });
    expect(readLastAccepted()).toMatchObject({ type: 'location' });
  });

  it('quotes and reacts to outbound and inbound messages', async () => {
    const { messages } = (await send({ to: ADA, text: { body: 'First' } })).json();
    const { carrierMessageId } = await findMessage(messages[0].id);
    await send({ to: ADA, text: { body: 'Second' }, context: { message_id: messages[0].id } });
    expect(readLastAccepted()).toMatchObject({ context: { message_id: carrierMessageId } });
    await send({ to: ADA, type: 'reaction', reaction: { message_id: messages[0].id, emoji: '👍' } });
    expect(readLastAccepted()).toMatchObject({ reaction: { message_id: carrierMessageId, emoji: '👍' } });
    await send({ to: ADA, text: { body: 'Third' }, context: { message_id: inboundId } });
    expect(readLastAccepted()).toMatchObject({ context: { message_id: inboundId } });
  });

  it('sends a read receipt and a typing indicator', async () => {
    const response = await send({ status: 'read', message_id: inboundId, typing_indicator: { type: 'text' } });
    expect(response.json()).toEqual({ success: true });
    expect(stub.readReceipts.at(-1)).toMatchObject({
      status: 'read',
      message_id: inboundId,
      typing_indicator: { type: 'text' },
    });
  });

  it('stores biz_opaque_callback_data in the metadata', async () => {
    const { messages } = (await send({ to: ADA, text: { body: 'Hi' }, biz_opaque_callback_data: 'order=7' })).json();
    expect(await findMessage(messages[0].id)).toMatchObject({ metadata: { biz_opaque_callback_data: 'order=7' } });
  });

  it('repeats its response for the same Idempotency-Key, and charges once', async () => {
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const key = { 'idempotency-key': 'graph-1' };
    const [firstResponse, secondResponse] = [
      await send({ to: ADA, text: { body: 'Once' } }, key),
      await send({ to: ADA, text: { body: 'Once' } }, key),
    ];
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect(secondResponse.body).toBe(firstResponse.body);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore - 10_000n);
  });
});

/** Messages that are refused: description, message, status, Meta's error code, and a text in the error details. */
const REFUSED: [string, object, number, number, string][] = [
  ['no recipient', { text: { body: 'x' } }, 400, 131008, 'to is required unless recipient is sent'],
  ['a blank number', { to: ' ', text: { body: 'x' } }, 400, 131008, 'to is required'],
  ['a number without a country code', { to: '0123', text: { body: 'x' } }, 400, 131009, 'to '],
  ['a malformed user ID', { recipient: 'ada', text: { body: 'x' } }, 400, 131009, 'recipient '],
  ['no content', { to: ADA, type: 'text' }, 400, 131008, 'text is required where type is text'],
  ['a file with neither link nor id', { to: ADA, type: 'image', image: {} }, 400, 131008, 'image must have either'],
  [
    'another messaging_product',
    { to: ADA, messaging_product: 'sms', text: { body: 'x' } },
    400,
    131009,
    'messaging_product',
  ],
  ['a field of the wrong type', { to: 15, text: { body: 'x' } }, 400, 131009, 'to must be'],
  ['an unknown type', { to: ADA, type: 'hologram' }, 400, 131009, 'type must be'],
  [
    'a title that is too long',
    {
      to: ADA,
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'x' },
        action: { buttons: [{ type: 'reply', reply: { id: 'a', title: 'x'.repeat(21) } }] },
      },
    },
    400,
    131009,
    'interactive.action.buttons[0].reply.title',
  ],
  ['a closed window', { to: '15005550432', text: { body: 'x' } }, 400, 131047, '24 hours'],
  [
    'an unknown template',
    { to: ADA, type: 'template', template: { name: 'nothing', language: { code: 'en_US' } } },
    404,
    132001,
    'nothing',
  ],
  [
    'a paused template',
    { to: ADA, type: 'template', template: { name: 'paused', language: { code: 'en_US' } } },
    400,
    132015,
    'template.name',
  ],
  [
    'a disabled template',
    { to: ADA, type: 'template', template: { name: 'disabled', language: { code: 'en_US' } } },
    400,
    132016,
    'template.name',
  ],
  [
    'a template that is not approved yet',
    { to: ADA, type: 'template', template: { name: 'pending', language: { code: 'en_US' } } },
    404,
    132001,
    'template.name',
  ],
  [
    'a code for a person without a number',
    {
      recipient: 'US.13491208655302741918',
      type: 'template',
      template: { name: 'sign_in_code', language: { code: 'en_US' } },
    },
    400,
    131062,
    'recipient',
  ],
  [
    'too few parameters',
    { to: ADA, type: 'template', template: { name: 'order_update', language: { code: 'en_US' } } },
    400,
    132000,
    'template.components',
  ],
  [
    'a parameter that does not fit the template',
    {
      to: ADA,
      type: 'template',
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: ' ' }] }],
      },
    },
    400,
    132012,
    'template.components[0].parameters[0]',
  ],
  ['a template message without a template', { to: ADA, type: 'template' }, 400, 131008, 'template is required'],
  [
    'an unknown file',
    { to: ADA, type: 'image', image: { id: '01a20dfd-070e-7cd5-8da0-0585c0634c01' } },
    400,
    131009,
    'image.id names no media of the channel',
  ],
  [
    'a NUL character in a JSON string',
    { to: ADA, text: '{"body":"a\\u0000b"}' },
    400,
    131009,
    'text.body must not contain NUL',
  ],
  ['a read receipt without an ID', { status: 'read' }, 400, 131008, 'message_id is required'],
  [
    'a quote without a message ID',
    {
      to: ADA,
      text: { body: 'x' },
      context: { message_id: `wamid.${'0'.repeat(12)}7${'0'.repeat(3)}8${'0'.repeat(15)}` },
    },
    400,
    131009,
    'context.message_id',
  ],
];

describe('the error of a refused message', () => {
  it.each(REFUSED)('names the cause: %s', async (_what, message, status, code, details) => {
    const countsBefore = [await readBalance(heliograph.deps, channel.account.id), stub.accepted.length];
    const response = await send(message);
    expect(response.statusCode, response.body).toBe(status);
    const { error } = response.json();
    expect(error).toMatchObject({ type: 'OAuthException', code, fbtrace_id: response.headers['x-request-id'] });
    expect(error.message).toMatch(new RegExp(`^\\(#${code}\\) `));
    expect(error.error_data).toEqual({ messaging_product: 'whatsapp', details: expect.stringContaining(details) });
    expect([await readBalance(heliograph.deps, channel.account.id), stub.accepted.length]).toEqual(countsBefore);
  });

  it('has the code 131042 if the balance is too low', async () => {
    await heliograph.deps.prisma.account.update({ where: { id: channel.account.id }, data: { balanceMicros: 5n } });
    const response = await send({ to: ADA, text: { body: 'x' } });
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: 131042 });
    await heliograph.deps.prisma.account.update({
      where: { id: channel.account.id },
      data: { balanceMicros: 10n ** 9n },
    });
  });
});
