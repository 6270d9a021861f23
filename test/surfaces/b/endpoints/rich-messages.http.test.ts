import { beforeAll, describe, expect, it } from 'vitest';
import { receiveFirstMessage, suiteMeta } from '../../../carriers/whatsapp-cloud/meta-channel.js';
import { readBalance } from '../../../support/accounts.js';
import { call } from '../../../support/channel-calls.js';
import { createTestChannel } from '../../../support/channels.js';
import { waitFor } from '../../../support/wait-for.js';

const ADA = '15005550401';

const { stub, heliograph, channel } = suiteMeta();
let inboundId: string;

const send = (payload: object, from = channel) => call(heliograph, from, 'POST', '/messages/send', payload);
/** The request that Meta accepted. */
const takenOf = (messageId: string) =>
  stub.accepted.find((each) => each.body.biz_opaque_callback_data === messageId)?.body;
const history = async () => {
  const { data: found } = (await call(heliograph, channel, 'GET', `/conversations?search=${ADA}`)).json();
  const { id } = found.conversations[0];
  return (await call(heliograph, channel, 'GET', `/conversations/${id}/messages`)).json().data.messages;
};

beforeAll(async () => {
  inboundId = (await receiveFirstMessage({ stub, heliograph, channel }, ADA)).id;
});

const BUTTONS = (count = 2, label = 'b', id = 'id') =>
  Array.from({ length: count }, (_, at) => ({ type: 'reply', reply: { id: `${at}${id}`, title: `${at}${label}` } }));
const button = (changes: object = {}, action: object = { buttons: BUTTONS() }) => ({
  type: 'interactive',
  interactive: { type: 'button', body: { text: 'Choose' }, action, ...changes },
});
const ROW = (at: number, row: object = {}) => ({ id: `r${at}`, title: `Row ${at}`, ...row });
const list = (action: object = {}, changes: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'list',
    body: { text: 'Choose' },
    action: { button: 'Open', sections: [{ rows: [ROW(1)] }], ...action },
    ...changes,
  },
});
const rows = (count: number) => Array.from({ length: count }, (_, at) => ROW(at));
const page = (parameters: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'cta_url',
    body: { text: 'Look' },
    action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/', ...parameters } },
  },
});
const FLOW = { flow_message_version: '3', flow_cta: 'Begin', flow_id: '1' };
const flow = (parameters: object = {}) => ({
  type: 'interactive',
  interactive: {
    type: 'flow',
    body: { text: 'Book' },
    action: { name: 'flow', parameters: { ...FLOW, ...parameters } },
  },
});
const asks = (type: string, name: string) => ({
  type: 'interactive',
  interactive: { type, body: { text: 'Where?' }, action: { name } },
});
const unchecked = (type: string, more: object = {}) => ({
  type: 'interactive',
  interactive: { type, body: { text: 'Look' }, action: { name: type }, ...more },
});
const CARD = {
  name: { formatted_name: 'Ada L.', first_name: 'Ada' },
  phones: [{ phone: '+15005550401', type: 'CELL' }],
};
const x = (length: number) => 'x'.repeat(length);

const KINDS: [string, Record<string, unknown> & { type: string }, string][] = [
  ['text', { type: 'text', text: { body: 'Hello', preview_url: true } }, 'Hello'],
  ['image', { type: 'image', image: { link: 'https://example.com/a.jpg', caption: 'Look' } }, 'Look'],
  ['image by id', { type: 'image', image: { id: '123' } }, ''],
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
  ['reply buttons', button(), 'Choose'],
  ['list', list(), 'Choose'],
  ['link button', page(), 'Look'],
  ['flow', flow(), 'Book'],
  ['location request', asks('location_request_message', 'send_location'), 'Where?'],
  ['order', unchecked('order_details'), 'Look'],
  ['contact request', asks('request_contact_info', 'request_contact_info'), 'Where?'],
];

describe('POST /api/v1/messages/send', () => {
  it.each(KINDS)('passes a message of the type %s to Meta unchanged', async (kind, message, body) => {
    const response = await send({ to: ADA, ...message });
    expect(response.json()).toMatchObject({ data: { status: 'sent' } });
    const { type } = message;
    const { messageId } = response.json().data;
    expect(takenOf(messageId)).toMatchObject({ type, [type]: message[type], to: `+${ADA}` });
    const row = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id: messageId } });
    expect(row).toMatchObject({ body, kind: 'whatsapp', priceMicros: 10_000n });
    const [entry] = await history();
    expect(entry).toMatchObject({ id: messageId, type, text: body });
    if (type === 'interactive') expect(entry.payload).toEqual(message.interactive);
    if (kind === 'voice message') expect(entry.payload).toEqual({ mediaId: '123', voice: true });
  });

  it('quotes and reacts by our ID of a message, and by the carrier’s', async () => {
    const { carrierMessageId } = await heliograph.deps.prisma.inboundMessage.findUniqueOrThrow({
      where: { id: inboundId },
    });
    const text = { to: ADA, type: 'text', text: { body: 'Yes' } };
    const quoted = await send({ ...text, context: { message_id: inboundId } });
    const { messageId, whatsappMessageId } = quoted.json().data;
    expect(takenOf(messageId)?.context).toEqual({ message_id: carrierMessageId });
    expect((await history())[0]).toMatchObject({ id: messageId, payload: { context: { id: carrierMessageId } } });
    const again = await send({ ...text, context: { message_id: messageId } });
    expect(again.statusCode).toBe(200);
    expect(takenOf(again.json().data.messageId)?.context).toEqual({ message_id: whatsappMessageId });
    for (const emoji of ['👍', '👩‍👩‍👧', '❤️', '🇷🇴', '7️⃣', '']) {
      const reaction = { message_id: carrierMessageId, emoji };
      const reacted = await send({ to: ADA, type: 'reaction', reaction });
      expect(reacted.statusCode, emoji).toBe(200);
      expect(takenOf(reacted.json().data.messageId)?.reaction).toEqual(reaction);
    }
    const other = await createTestChannel(heliograph.deps, channel.account);
    for (const message_id of ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', other.channelId]) {
      const response = await send({ ...text, context: { message_id } });
      expect(response.json()).toMatchObject({ error: { details: [{ field: 'context.message_id' }] } });
    }
  });

  it('accepts values at Meta’s limits, and refuses those beyond by field, without charging', async () => {
    const limits: [string, (over: 0 | 1) => object][] = [
      ['text.body', (over) => ({ type: 'text', text: { body: x(4096 + over) } })],
      ['image.caption', (over) => ({ type: 'image', image: { id: '1', caption: x(1024 + over) } })],
      ['document.filename', (over) => ({ type: 'document', document: { id: '1', filename: x(240 + over) } })],
      ['interactive.body.text', (over) => button({ body: { text: x(1024 + over) } })],
      ['interactive.footer.text', (over) => button({ footer: { text: x(60 + over) } })],
      ['interactive.header.text', (over) => button({ header: { type: 'text', text: x(60 + over) } })],
      ['interactive.action.buttons', (over) => button({}, { buttons: BUTTONS(3 + over) })],
      ['interactive.action.buttons[0].reply.title', (over) => button({}, { buttons: BUTTONS(1, x(19 + over)) })],
      ['interactive.action.buttons[0].reply.id', (over) => button({}, { buttons: BUTTONS(1, 'b', x(255 + over)) })],
      ['interactive.body.text', (over) => list({}, { body: { text: x(4096 + over) } })],
      ['interactive.action.button', (over) => list({ button: x(20 + over) })],
      ['interactive.action.sections[0].rows', (over) => list({ sections: [{ rows: rows(10 + over) }] })],
      [
        'interactive.action.sections',
        (over) =>
          list({
            sections: [
              { title: 'A', rows: rows(5) },
              { title: 'B', rows: rows(10 + over).slice(5) },
            ],
          }),
      ],
      [
        'interactive.action.sections',
        (over) =>
          list({ sections: Array.from({ length: 10 + over }, (_, at) => ({ title: `S${at}`, rows: [ROW(at)] })) }),
      ],
      ['interactive.action.sections[0].title', (over) => list({ sections: [{ title: x(24 + over), rows: [ROW(1)] }] })],
      [
        'interactive.action.sections[0].rows[0].id',
        (over) => list({ sections: [{ rows: [ROW(1, { id: x(200 + over) })] }] }),
      ],
      [
        'interactive.action.sections[0].rows[0].title',
        (over) => list({ sections: [{ rows: [ROW(1, { title: x(24 + over) })] }] }),
      ],
      [
        'interactive.action.sections[0].rows[0].description',
        (over) => list({ sections: [{ rows: [ROW(1, { description: x(72 + over) })] }] }),
      ],
      ['interactive.action.parameters.display_text', (over) => page({ display_text: x(20 + over) })],
      ['interactive.action.parameters.flow_cta', (over) => flow({ flow_cta: x(30 + over) })],
      ['location.latitude', (over) => ({ type: 'location', location: { latitude: 90 + over, longitude: 0 } })],
      ['location.longitude', (over) => ({ type: 'location', location: { latitude: 0, longitude: -180 - over } })],
      ['contacts', (over) => ({ type: 'contacts', contacts: Array.from({ length: 257 + over }, () => CARD) })],
    ];
    for (const [field, make] of limits) {
      expect((await send({ to: ADA, ...make(0) })).json(), `${field} at its limit`).toMatchObject({ success: true });
      const before = await readBalance(heliograph.deps, channel.account.id);
      const refused = await send({ to: ADA, ...make(1) });
      expect([refused.statusCode, refused.json().error.details?.[0]?.field]).toEqual([400, field]);
      expect(await readBalance(heliograph.deps, channel.account.id)).toBe(before);
    }
  });

  it.each<[string, object]>([
    ['interactive', { type: 'interactive' }],
    ['type', { type: 'template', template: {} }],
    ['type', { text: { body: 'x' } }],
    ['text', { ...button(), text: { body: 'x' } }],
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
      button({}, { buttons: [BUTTONS(1)[0], { type: 'reply', reply: { id: 'o', title: '0b' } }] }),
    ],
    [
      'interactive.action.buttons[1].reply.id',
      button({}, { buttons: [BUTTONS(1)[0], { type: 'reply', reply: { id: '0id', title: 'o' } }] }),
    ],
    ['interactive.header.type', unchecked('product_list', { header: { type: 'audio', audio: { id: '1' } } })],
    ['interactive.header.image', button({ header: { type: 'image' } })],
    ['interactive.header.type', list({}, { header: { type: 'image', image: { id: '1' } } })],
    ['interactive.action.sections[1].title', list({ sections: [{ title: 'A', rows: [ROW(1)] }, { rows: [ROW(2)] }] })],
    ['interactive.action.sections[0].rows[1].id', list({ sections: [{ rows: [ROW(1), ROW(1)] }] })],
    ['interactive.action.parameters', flow({ flow_name: 'book' })],
    ['interactive.action.name', asks('location_request_message', 'elsewhere')],
    ['interactive.body', { type: 'interactive', interactive: { type: 'button', action: { buttons: BUTTONS() } } }],
  ])('describes an invalid %s', async (field, message) => {
    const { statusCode, body } = await send({ to: ADA, ...message });
    expect([statusCode, JSON.parse(body).error.details.map((each: { field: string }) => each.field)]).toEqual([
      400,
      [field],
    ]);
  });

  it('is refused outside the window, and by an SMS channel', async () => {
    const text = { type: 'text', text: { body: 'Hello' } };
    expect((await send({ to: '15005550499', ...text })).json()).toMatchObject({ error: { code: 'WINDOW_EXPIRED' } });
    const sms = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
    expect((await send({ to: ADA, ...text }, sms)).statusCode).toBe(403);
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
    const taken = await waitFor('Meta to take it', () => takenOf(id));
    expect(taken[message.type]).toMatchObject(message[message.type] as object);
  });

  it.each<[string, object]>([
    ['message', { ...button(), message: 'x' }],
    ['interactive', { interactive: button().interactive }],
    ['type', { ...button(), channel: 'sms' }],
    ['context.message_id', { ...button(), context: { message_id: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' } }],
    ['interactive.action.buttons', button({}, { buttons: BUTTONS(4) })],
  ])('describes an invalid %s', async (field, message) => {
    const { statusCode, body } = await sendV2(message);
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).data.errors.map((each: { field: string }) => each.field)).toContain(field);
  });

  it('sends the text of an interactive message by SMS if it fails', async () => {
    const fallback = { channel: 'sms', from: 'Shop' };
    const response = await sendV2({ ...button(), fallback });
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
    const mark = (payload: object, from = channel) => call(heliograph, from, 'POST', '/messages/read', payload);
    expect((await mark({ messageId: inboundId })).json()).toMatchObject({ data: { messageId: inboundId } });
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: carrierMessageId };
    expect(stub.readReceipts.at(-1)).toEqual(read);
    await mark({ messageId: carrierMessageId, typing: true });
    expect(stub.readReceipts.at(-1)).toEqual({ ...read, typing_indicator: { type: 'text' } });
    expect((await mark({ messageId: channel.channelId })).statusCode).toBe(400);
    const sms = await createTestChannel(heliograph.deps, channel.account, { kind: 'sms' });
    expect((await mark({ messageId: 'wamid.x' }, sms)).statusCode).toBe(403);
  });
});
