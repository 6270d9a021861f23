import { beforeAll, describe, expect, it } from 'vitest';
import { suiteMeta } from '../../../carriers/whatsapp-cloud/meta-channel.js';
import { readBalance } from '../../../support/accounts.js';
import type { StubTemplate } from '../../../support/carriers/cloud-api/message-rules.js';
import { call } from '../../../support/channel-calls.js';
import { addTemplate } from '../../../support/channel-contents.js';
import {
  action,
  button,
  card,
  cards,
  carousel,
  code,
  header,
  image,
  inCarousel,
  OFFER_END,
  offerEnd,
  product,
  products,
  SENDS,
  section,
  shelf,
  shopCard,
  TEMPLATES,
  text,
} from '../../../support/template-kinds.js';
import { waitFor } from '../../../support/wait-for.js';

const ADA = '15005550402';

const { stub, heliograph, channel } = suiteMeta();

/** Finds the request that Meta's stub accepted for the message. */
const findAcceptedRequest = (messageId: string) =>
  stub.accepted.find((accepted) => accepted.body.biz_opaque_callback_data === messageId)?.body;
const send = (templateName: string, components: object[]) =>
  call(heliograph, channel, 'POST', '/messages/template', { to: ADA, templateName, language: 'en_US', components });

beforeAll(async () => {
  for (const [name, components] of Object.entries(TEMPLATES)) {
    await addTemplate(heliograph, channel, { name, components, category: 'MARKETING' });
    const template = { id: name, name, language: 'en_US', category: 'MARKETING', status: 'APPROVED' };
    stub.templates.push({ ...template, components: components as StubTemplate['components'] });
  }
});

describe('a template with every component that Meta supports', () => {
  it.each(SENDS)(
    '%s reaches Meta unchanged, and the history has the text that the phone shows',
    async (name, components, expectedBody) => {
      const response = await send(name, components);
      expect(response.json()).toMatchObject({ data: { status: 'sent' } });
      const { messageId, conversationId } = response.json().data;
      const { type, to, template } = findAcceptedRequest(messageId) ?? {};
      const expectedTemplate = { name, language: { code: 'en_US' }, ...(components.length > 0 && { components }) };
      expect({ type, to, template }).toEqual({ type: 'template', to: `+${ADA}`, template: expectedTemplate });
      const path = `/conversations/${conversationId}/messages`;
      const [entry] = (await call(heliograph, channel, 'GET', path)).json().data.messages;
      expect(entry).toMatchObject({ id: messageId, type: 'template', payload: { name, components } });
      if (expectedBody) expect(entry.payload.shown).toMatchObject({ body: entry.text, ...expectedBody });
      else expect(entry.payload).not.toHaveProperty('shown');
    },
  );

  it('accepts values at Meta’s limits, and names fields beyond them without charging', async () => {
    const textOfLength = (length: number) => 'x'.repeat(length);
    const limits: [field: string, template: string, make: (over: 0 | 1) => object[]][] = [
      ['[0].parameters[0].coupon_code', 'coupon', (excess) => [code(textOfLength(20 + excess))]],
      [
        '[1].parameters[0].coupon_code',
        'offer',
        (excess) => [offerEnd(OFFER_END), code(textOfLength(15 + excess)), button('url', 1, text('a'))],
      ],
      [
        '[0].parameters[0].limited_time_offer.expiration_time_ms',
        'offer',
        (excess) => [offerEnd(1_000_000_000_000 - excess), code('A'), button('url', 1, text('a'))],
      ],
      ['[0].parameters[0].action.sections', 'shelf', (excess) => [shelf([section(15), section(15 + excess)])]],
      [
        '[0].parameters[0].action.sections',
        'shelf',
        (excess) => [shelf(Array.from({ length: 10 + excess }, () => section(1)))],
      ],
      [
        '[0].parameters[0].action.sections[0].title',
        'shelf',
        (excess) => [shelf([section(1, textOfLength(24 + excess))])],
      ],
      [
        '[0].parameters[0].location.latitude',
        'place',
        (excess) => [header({ type: 'location', location: { latitude: 90 + excess, longitude: 180 } })],
      ],
      [
        '[0].parameters[0].location.longitude',
        'place',
        (excess) => [header({ type: 'location', location: { latitude: 0, longitude: -180 - excess } })],
      ],
      ['[1].cards[2].card_index', 'carousel', (excess) => inCarousel(...cards, ...(excess ? [shopCard(2)] : []))],
      [
        '[0].cards',
        'products',
        (excess) => [
          carousel(...Array.from({ length: 10 + excess }, (_, index) => card(index % 10, product(`p${index}`)))),
        ],
      ],
      [
        '[0].cards',
        'products',
        (excess) => [carousel(...(excess ? [] : [card(1, product('b'))]), card(0, product('a')))],
      ],
    ];
    for (const [field, template, makeComponents] of limits) {
      const acceptedResponse = await send(template, makeComponents(0));
      expect(acceptedResponse.json(), `${template} ${field} at its limit`).toMatchObject({ success: true });
      const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
      const refusal = await send(template, makeComponents(1));
      expect([refusal.statusCode, refusal.json().error.details?.[0]?.field]).toEqual([400, `components${field}`]);
      expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
    }
  });

  it.each<[string, string, object[]]>([
    ['components', 'offer', [code('A'), button('url', 1, text('a'))]],
    [
      'components[0].parameters[0]',
      'offer',
      [header(text('x')), offerEnd(OFFER_END), code('A'), button('url', 1, text('a'))],
    ],
    [
      'components[0].parameters[0].limited_time_offer.expiration_time_ms',
      'offer',
      [offerEnd('soon'), code('A'), button('url', 1, text('a'))],
    ],
    ['components', 'products', []],
    ['components[1].cards', 'carousel', inCarousel(shopCard(0))],
    ['components[1].cards[1].card_index', 'carousel', inCarousel(shopCard(0), shopCard(0), shopCard(1))],
    ['components[1].cards[1]', 'carousel', inCarousel(shopCard(0), card(1, image, button('url', 1, text('x'))))],
    [
      'components[1].cards[1].components[0].parameters[0].image',
      'carousel',
      inCarousel(shopCard(0), {
        ...shopCard(1),
        components: [header({ type: 'image', image: {} }), ...shopCard(1).components.slice(1)],
      }),
    ],
    [
      'components[1].cards[0].components[3].index',
      'carousel',
      inCarousel(card(0, ...shopCard(0).components, button('url', 2, text('x'))), shopCard(1)),
    ],
    [
      'components[1].cards[0].components[3].type',
      'carousel',
      inCarousel(card(0, ...shopCard(0).components, offerEnd(OFFER_END)), shopCard(1)),
    ],
    ['components[1].cards[0].components', 'carousel', inCarousel({ card_index: 0 }, shopCard(1))],
    ['components[1].cards[0].card_index', 'carousel', inCarousel({ components: [] }, shopCard(1))],
    [
      'components[0].cards[0].components[0].parameters[0].product.catalog_id',
      'products',
      [carousel(card(0, header({ type: 'product', product: { product_retailer_id: 'a' } })), card(1, product('b')))],
    ],
    ['components[0].type', 'replies', [carousel(...cards)]],
    ['components', 'shelf', []],
    ['components[0].parameters[0]', 'shelf', [button('mpm', 0, text('x'))]],
    [
      'components[0].parameters[0].action.thumbnail_product_retailer_id',
      'shelf',
      [action('mpm', { sections: [section(1)] })],
    ],
    ['components[0].parameters[0].action.sections[0].product_items', 'shelf', [shelf([section(0)])]],
    [
      'components[0].parameters[0].action.sections[0].product_items[0].product_retailer_id',
      'shelf',
      [shelf([{ product_items: [{}] }])],
    ],
    [
      'components[0].parameters[0].action.sections[1].title',
      'shelf',
      [shelf([section(1), { product_items: products(1) }])],
    ],
    [
      'components[0].parameters[0].action.thumbnail_product_retailer_id',
      'catalogue',
      [action('catalog', { thumbnail_product_retailer_id: '' })],
    ],
    ['components[0].sub_type', 'catalogue', [action('mpm', {})]],
    ['components[0].parameters[0].action.flow_action_data', 'flow', [action('flow', { flow_action_data: [] })]],
    ['components[0].parameters[0].action.flow_token', 'flow', [action('flow', { flow_token: 7 })]],
    ['components[0].parameters[1]', 'flow', [button('flow', 0, { type: 'action', action: {} }, text('x'))]],
    ['components', 'coupon', []],
    [
      'components[0].parameters[0].location.longitude',
      'place',
      [header({ type: 'location', location: { latitude: 1, longitude: ' ' } })],
    ],
  ])('is refused with the name of an invalid field: %s of %s', async (field, template, components) => {
    const balanceBefore = await readBalance(heliograph.deps, channel.account.id);
    const { statusCode, body } = await send(template, components);
    expect([statusCode, JSON.parse(body).error.details?.map((detail: { field: string }) => detail.field)]).toEqual([
      400,
      [field],
    ]);
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balanceBefore);
  });

  it('is filled for each member of a campaign, including its cards', async () => {
    const group = (await call(heliograph, channel, 'POST', '/contacts/groups', { name: 'all' })).json().data;
    const bea = { phone: '15005550403', name: 'Bea' };
    const contact = (await call(heliograph, channel, 'POST', '/contacts', bea)).json().data;
    await call(heliograph, channel, 'POST', `/contacts/groups/${group.id}/add`, { contactId: contact.id });
    const nameCard = (index: number) =>
      card(index, image, { type: 'body', parameters: [text('{{contact.name}}')] }, button('url', 1, text('x')));
    const createResponse = await call(heliograph, channel, 'POST', '/campaigns', {
      ...{ name: 'cards', groupId: group.id, templateName: 'carousel', language: 'en_US' },
      components: inCarousel(nameCard(0), nameCard(1)),
    });
    expect(createResponse.json()).toMatchObject({ success: true });
    const listBeasMessages = () => stub.accepted.filter(({ to }) => to === bea.phone);
    await waitFor('Meta to accept the message', () => listBeasMessages().length > 0);
    const [beasMessage, ...otherMessages] = listBeasMessages();
    expect(otherMessages).toEqual([]);
    const sentBody = beasMessage?.body as { template: { components: { cards?: object[] }[] } };
    const filledCard = (index: number) =>
      card(index, image, { type: 'body', parameters: [text('Bea')] }, button('url', 1, text('x')));
    expect(sentBody.template.components[1]?.cards).toEqual([filledCard(0), filledCard(1)]);
  });

  it('is sent by Surface A in the same way', async () => {
    const components = inCarousel(...cards);
    const { app } = heliograph;
    const body = { to: ADA, from: channel.phoneNumber, template_id: 'carousel', template_data: { components } };
    const authorization = `Bearer ${channel.account.apiKey}`;
    const sendV2 = (payload: object) =>
      app.inject({ method: 'POST', url: '/v2/send', headers: { authorization }, payload });
    const sendResponse = await sendV2(body);
    expect(sendResponse.json()).toMatchObject({ data: [{ message: 'Three for Ada now' }] });
    const acceptedRequest = await waitFor('Meta to accept the message', () =>
      findAcceptedRequest(sendResponse.json().data[0].message_id),
    );
    expect(acceptedRequest).toMatchObject({ template: { components } });
    const balance = await readBalance(heliograph.deps, channel.account.id);
    const refusal = await sendV2({ ...body, template_data: { components: inCarousel(shopCard(0)) } });
    expect(refusal.statusCode).toBe(400);
    expect(refusal.body).toContain('template_data.components[1].cards');
    expect(await readBalance(heliograph.deps, channel.account.id)).toBe(balance);
  });
});
