import { beforeAll, describe, expect, it } from 'vitest';
import { receiveFirstMessage, suiteMeta } from '../../../carriers/whatsapp-cloud/meta-channel.js';
import { readBalance } from '../../../support/accounts.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel } from '../../../support/channels.js';
import { waitFor } from '../../../support/wait-for.js';

const ADA = '15005550401';

const { stub, heliograph, channel } = suiteMeta();
let inboundId: string;

const send = (payload: object, caller = channel) => call(heliograph, caller, 'POST', '/messages/send', payload);
/** Finds the request that Meta's stub accepted for the message. */
const findAcceptedRequest = (messageId: string) =>
  stub.accepted.find((accepted) => accepted.body.biz_opaque_callback_data === messageId)?.body;
const listHistory = async () => {
  const { data: conversations } = (await call(heliograph, channel, 'GET', `/conversations?search=${ADA}`)).json();
  const { id } = conversations.conversations[0];
  return (await call(heliograph, channel, 'GET', `/conversations/${id}/messages`)).json().data.messages;
};

beforeAll(async () => {
  inboundId = (await receiveFirstMessage({ stub, heliograph, channel }, ADA)).id;
});

const replyButtons = (count = 2, label = 'b', id = 'id') =>
  Array.from({ length: count }, (_, index) => ({
    type: 'reply',
    reply: { id: `${index}${id}`, title: `${index}${label}` },
  }));
const buttonMessage = (changes: object = {}, action: object = { buttons: replyButtons() }) => ({
  type: 'interactive',
  interactive: { type: 'button', body: { text: 'Choose' }, action, ...changes },
});
const listRow = (index: number, row: object = {}) => ({ id: `r${index}`, title: `Row ${index}`, ...row });
const listMessage = (action: object = {}, changes: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'list',
    body: { text: 'Choose' },
    action: { button: 'Open', sections: [{ rows: [listRow(1)] }], ...action },
    ...changes,
  },
});
const listRows = (count: number) => Array.from({ length: count }, (_, index) => listRow(index));
const urlMessage = (parameters: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'cta_url',
    body: { text: 'Look' },
    action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/', ...parameters } },
  },
});
const FLOW = { flow_message_version: '3', flow_cta: 'Begin', flow_id: '1' };
const flowMessage = (parameters: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'flow',
    body: { text: 'Book' },
    action: { name: 'flow', parameters: { ...FLOW, ...parameters } },
  },
});
const requestMessage = (type: string, name: string) => ({
  type: 'interactive',
  interactive: { type, body: { text: 'Where?' }, action: { name } },
});
const uncheckedMessage = (type: string, extraFields: object = {}) => ({
  type: 'interactive',
  interactive: { type, body: { text: 'Look' }, action: { name: type }, ...extraFields },
});
const CARD = {
  name: { formatted_name: 'Ada L.', first_name: 'Ada' },
  phones: [{ phone: '+15005550401', type: 'CELL' }],
};
const textOfLength = (length: number) => 'x'.repeat(length);

const KINDS: [string, Record<string, unknown> & { type: string }, string][] = [
  ['text', { type: 'text', text: { body: 'Hello', preview_url: true } }, 'Hello'],
  ['image', { type: 'image', image: { link: 'https://example.com/a.jpg', caption: 'Look' } }, 'Look'],
  ['image by ID', { type: 'image', image: { id: '123' } }, ''],
  ['video', { type: 'video', video: { link: 'https://example.com/a.mp4' } }, ''],
  ['audio', { type: 'audio', audio: { link: 'https://example.com/a.ogg' } }, ''],
  ['voice message', { type: 'audio', audio: { id: '123', voice: true } }, ''],
  ['sticker', { type: 'sticker', sticker: { link: 'https://example.com/a.webp' } }, ''],
  ['document', { type: 'document', document: { link: 'https://example.com/b', filename: 'bill.pdf' } }, ''],
  [
    'location',
    { type: 'location', location: { latitude: 51.5, longitude: -0.12, name: 'Shop', address: 'A 1' } },
    'Shop, A 1',
  ],
  ['contacts', { type: 'contacts', contacts: [CARD] }, 'Ada L.'],
  ['reply buttons', buttonMessage(), 'Choose'],
  ['list', listMessage(), 'Choose'],
  ['link button', urlMessage(), 'Look'],
  ['flow', flowMessage(), 'Book'],
  ['location request', requestMessage('location_request_message', 'send_location'), 'Where?'],
  ['order', uncheckedMessage('order_details'), 'Look'],
  ['contact request', requestMessage('request_contact_info', 'request_contact_info'), 'Where?'],
];

describe('POST /api/v1/messages/send', () => {
  it.each(KINDS)('passes a message of the type %s to Meta unchanged', async (kind, message, body) => {
    const response = await send({ to: ADA, ...message });
    expect(response.json()).toMatchObject({ data: { status: 'sent' } });
    const { type } = message;
    const { messageId } = response.json().data;
    expect(findAcceptedRequest(messageId)).toMatchObject({ type, [type]: message[type], to: `+${ADA}` });
    const row = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id: messageId } });
    expect(row).toMatchObject({ body, kind: 'whatsapp', priceMicros: 10_000n });
    const [entry] = await listHistory();
    expect(entry).toMatchObject({ id: messageId, type, text: body });
    if (type === 'interactive') expect(entry.payload).toEqual(message.interactive);
    if (kind === 'voice message') expect(entry.payload).toEqual({ mediaId: '123', voice: true });
  });

  it('quotes and reacts to a message by its ID or the carrier’s', async () => {
    const { carrierMessageId } = await heliograph.deps.prisma.inboundMessage.findUniqueOrThrow({
      where: { id: inboundId },
    });
    const text = { to: ADA, type: 'text', text: { body: 'Yes' } };
    const quoteResponse = await send({ ...text, context: { message_id: inboundId } });
    const { messageId, whatsappMessageId } = quoteResponse.json().data;
    expect(findAcceptedRequest(messageId)?.context).toEqual({ message_id: carrierMessageId });
    expect((await listHistory())[0]).toMatchObject({ id: messageId, payload: { context: { id: carrierMessageId } } });
    const repeatedResponse = await send({ ...text, context: { message_id: messageId } });
    expect(repeatedResponse.statusCode).toBe(200);
    expect(findAcceptedRequest(repeatedResponse.json().data.messageId)?.context).toEqual({
      message_id: whatsappMessageId,
    });
    for (const emoji of ['👍', '👩‍👩‍👧', '❤️', '🇷🇴', '7️⃣', '']) {
      const reaction = { message_id: carrierMessageId, emoji };
      const reactionResponse = await send({ to: ADA, type: 'reaction', reaction });
      expect(reactionResponse.statusCode, emoji).toBe(200);
      expect(findAcceptedRequest(reactionResponse.json().data.messageId)?.reaction).toEqual(reaction);
    }
    const otherChannel = await createTestChannel(heliograph.deps, channel.account);
    for (const message_id of ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', otherChannel.channelId]) {
      const response = await send({ ...text, context: { message_id } });
      expect(response.json()).toMatchObject({ error: { details: [{ field: 'context.message_id' }] } });
    }
  });

  it('accepts values at Meta’s limits, and names fields beyond them without charging', async () => {
    const limits: [string, (over: 0 | 1) => object][] = [
      ['text.body', (excess) => ({ type: 'text', text: { body: textOfLength(4096 + excess) } })],
      ['image.caption', (excess) => ({ type: 'image', image: { id: '1', caption: textOfLength(1024 + excess) } })],
      [
        'document.filename',
        (excess) => ({ type: 'document', document: { id: '1', filename: textOfLength(240 + excess) } }),
      ],
      ['interactive.body.text', (excess) => buttonMessage({ body: { text: textOfLength(1024 + excess) } })],
      ['interactive.footer.text', (excess) => buttonMessage({ footer: { text: textOfLength(60 + excess) } })],
      [
        'interactive.header.text',
        (excess) => buttonMessage({ header: { type: 'text', text: textOfLength(60 + excess) } }),
      ],
      ['interactive.action.buttons', (excess) => buttonMessage({}, { buttons: replyButtons(3 + excess) })],
      [
        'interactive.action.buttons[0].reply.title',
        (excess) => buttonMessage({}, { buttons: replyButtons(1, textOfLength(19 + excess)) }),
      ],
      [
        'interactive.action.buttons[0].reply.id',
        (excess) => buttonMessage({}, { buttons: replyButtons(1, 'b', textOfLength(255 + excess)) }),
      ],
      ['interactive.body.text', (excess) => listMessage({}, { body: { text: textOfLength(4096 + excess) } })],
      ['interactive.action.button', (excess) => listMessage({ button: textOfLength(20 + excess) })],
      ['interactive.action.sections[0].rows', (excess) => listMessage({ sections: [{ rows: listRows(10 + excess) }] })],
      [
        'interactive.action.sections',
        (excess) =>
          listMessage({
            sections: [
              { title: 'A', rows: listRows(5) },
              { title: 'B', rows: listRows(10 + excess).slice(5) },
            ],
          }),
      ],
      [
        'interactive.action.sections',
        (excess) =>
          listMessage({
            sections: Array.from({ length: 10 + excess }, (_, index) => ({
              title: `S${index}`,
              rows: [listRow(index)],
            })),
          }),
      ],
      [
        'interactive.action.sections[0].title',
        (excess) => listMessage({ sections: [{ title: textOfLength(24 + excess), rows: [listRow(1)] }] }),
      ],
      [
        'interactive.action.sections[0].rows[0].id',
        (excess) => listMessage({ sections: [{ rows: [listRow(1, { id: textOfLength(200 + excess) })] }] }),
      ],
      [
        'interactive.action.sections[0].rows[0].title',
        (excess) => listMessage({ sections: [{ rows: [listRow(1, { title: textOfLength(24 + excess) })] }] }),
      ],
      [
        'interactive.action.sections[0].rows[0].description',
        (excess) => listMessage({ sections: [{ rows: [listRow(1, { description: textOfLength(72 + excess) })] }] }),
      ],
      [
        'interactive.action.parameters.display_text',
        (excess) => urlMessage({ display_text: textOfLength(20 + excess) }),
      ],
      ['interactive.action.parameters.flow_cta', (excess) => flowMessage({ flow_cta: textOfLength(30 + excess) })],
      ['location.latitude', (excess) => ({ type: 'location', location: { latitude: 90 + excess, longitude: 0 } })],
      ['location.longitude', (excess) => ({ type: 'location', location: { latitude: 0, longitude: -180 - excess } })],
      ['contacts', (excess) => ({ type: 'contacts', contacts: Array.from({ length: 257 + excess }, () => CARD) })],
    ];
    for (const [field, makeMessage] of limits) {
      expect((await send({ to: ADA, ...makeMessage(0) })).json(), `${field} at its limit`).toMatchObject({
        success: true,
      });
      const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
      const refusal = await send({ to: ADA, ...makeMessage(1) });
      expect([refusal.statusCode, refusal.json().error.details?.[0]?.field]).toEqual([400, field]);
      expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
    }
  });

  it.each<[string, object]>([
    ['interactive', { type: 'interactive' }],
    ['type', { type: 'template', template: {} }],
    ['type', { text: { body: 'x' } }],
    ['text', { ...buttonMessage(), text: { body: 'x' } }],
    ['text.body', { type: 'text', text: { body: ' ​ ' } }],
    ['image', { type: 'image', image: {} }],
    ['image', { type: 'image', image: { id: '1', link: 'https://example.com/' } }],
    ['image.link', { type: 'image', image: { link: 'ftp://example.com/' } }],
    ['reaction.emoji', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: 'ok' } }],
    ['reaction.emoji', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '7' } }],
    ['reaction.emoji', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '#' } }],
    ['reaction.emoji', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍👍' } }],
    ['contacts[0].name', { type: 'contacts', contacts: [{ name: { formatted_name: 'Ada' } }] }],
    ['interactive.type', { type: 'interactive', interactive: { type: 'poll', action: {} } }],
    [
      'interactive.action.buttons[1].reply.title',
      buttonMessage({}, { buttons: [replyButtons(1)[0], { type: 'reply', reply: { id: 'o', title: '0b' } }] }),
    ],
    [
      'interactive.action.buttons[1].reply.id',
      buttonMessage({}, { buttons: [replyButtons(1)[0], { type: 'reply', reply: { id: '0id', title: 'o' } }] }),
    ],
    ['interactive.header.type', uncheckedMessage('product_list', { header: { type: 'audio', audio: { id: '1' } } })],
    ['interactive.header.image', buttonMessage({ header: { type: 'image' } })],
    ['interactive.header.type', listMessage({}, { header: { type: 'image', image: { id: '1' } } })],
    [
      'interactive.action.sections[1].title',
      listMessage({ sections: [{ title: 'A', rows: [listRow(1)] }, { rows: [listRow(2)] }] }),
    ],
    ['interactive.action.sections[0].rows[1].id', listMessage({ sections: [{ rows: [listRow(1), listRow(1)] }] })],
    ['interactive.action.parameters', flowMessage({ flow_name: 'book' })],
    ['interactive.action.name', requestMessage('location_request_message', 'elsewhere')],
    ['interactive.body', { type: 'interactive', interactive: { type: 'button', action: { buttons: replyButtons() } } }],
  ])('names an invalid %s', async (field, message) => {
    const { statusCode, body } = await send({ to: ADA, ...message });
    expect([statusCode, JSON.parse(body).error.details.map((detail: { field: string }) => detail.field)]).toEqual([
      400,
      [field],
    ]);
  });

  it('refuses messages outside the window and on SMS channels', async () => {
    const text = { type: 'text', text: { body: 'Hello' } };
    expect((await send({ to: '15005550499', ...text })).json()).toMatchObject({ error: { code: 'WINDOW_EXPIRED' } });
    const smsChannel = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
    expect((await send({ to: ADA, ...text }, smsChannel)).statusCode).toBe(403);
  });
});

describe('POST /v2/send with a type', () => {
  const sendV2 = (payload: object) =>
    heliograph.app.inject({
      method: 'POST',
      url: '/v2/send',
      headers: channel.account.headers,
      payload: { from: channel.phoneNumber, to: ADA, ...payload },
    });

  it.each(KINDS)('sends a message of the type %s', async (_kind, message, body) => {
    const response = await sendV2(message);
    expect(response.json()).toMatchObject({ status: 'success', data: [{ message: body }] });
    const [{ message_id: id }] = response.json().data;
    const acceptedRequest = await waitFor('Meta to accept the message', () => findAcceptedRequest(id));
    expect(acceptedRequest[message.type]).toMatchObject(message[message.type] as object);
  });

  it.each<[string, object]>([
    ['message', { ...buttonMessage(), message: 'x' }],
    ['interactive', { interactive: buttonMessage().interactive }],
    ['type', { ...buttonMessage(), channel: 'sms' }],
    ['context.message_id', { ...buttonMessage(), context: { message_id: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' } }],
    ['interactive.action.buttons', buttonMessage({}, { buttons: replyButtons(4) })],
  ])('names an invalid %s', async (field, message) => {
    const { statusCode, body } = await sendV2(message);
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).data.errors.map((problem: { field: string }) => problem.field)).toContain(field);
  });

  it('sends the text of an interactive message by SMS if it fails', async () => {
    const fallback = { channel: 'sms', from: 'Shop' };
    const response = await sendV2({ ...buttonMessage(), fallback });
    const [{ message_id: id }] = response.json().data;
    const row = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    expect(row.content).toMatchObject({ type: 'interactive', fallback: { from: 'Shop' } });
  });
});

describe('POST /api/v1/messages/read', () => {
  it('shows the contact a read receipt and a typing indicator', async () => {
    const { carrierMessageId } = await heliograph.deps.prisma.inboundMessage.findUniqueOrThrow({
      where: { id: inboundId },
    });
    const markRead = (payload: object, caller = channel) => call(heliograph, caller, 'POST', '/messages/read', payload);
    expect((await markRead({ messageId: inboundId })).json()).toMatchObject({ data: { messageId: inboundId } });
    const readReceipt = { messaging_product: 'whatsapp', status: 'read', message_id: carrierMessageId };
    expect(stub.readReceipts.at(-1)).toEqual(readReceipt);
    await markRead({ messageId: carrierMessageId, typing: true });
    expect(stub.readReceipts.at(-1)).toEqual({ ...readReceipt, typing_indicator: { type: 'text' } });
    expect((await markRead({ messageId: channel.channelId })).statusCode).toBe(400);
    const smsChannel = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
    expect((await markRead({ messageId: 'wamid.x' }, smsChannel)).statusCode).toBe(403);
  });
});
