import { beforeAll, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../../src/carriers/carrier.js';
import { CarrierError } from '../../../../src/carriers/carrier-error.js';
import { vendorCode } from '../../../../src/carriers/failure-codes.js';
import { createTemplate } from '../../../../src/features/templates/create.js';
import { syncTemplates } from '../../../../src/features/templates/sync.js';
import { call, HELLO } from '../../../support/channel-calls.js';
import { addTemplate } from '../../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { forSuite } from '../../../support/for-suite.js';
import { sharedApp } from '../../../support/suite.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DRAFT = {
  name: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.', example: { body_text: [['A-1']] } }],
};

const heliograph = sharedApp();
const channel = forSuite(() => createTestChannel(heliograph.deps));

const list = (caller = channel, query = '') => call(heliograph, caller, 'GET', `/templates${query}`);
const create = (payload: object, caller = channel) => call(heliograph, caller, 'POST', '/templates', payload);
const sync = (caller = channel) => call(heliograph, caller, 'POST', '/templates/sync');
const onRealCarrier = ({ channelId, phoneNumber, account }: TestChannel) => ({
  id: channelId,
  kind: 'whatsapp' as const,
  phoneNumber,
  carrierSettings: null,
  accountId: account.id,
  carrier: 'real',
});
const readNames = (response: Awaited<ReturnType<typeof list>>) =>
  response.json().data.map(({ name }: { name: string }) => name);

describe('Template record (Surface B)', () => {
  it('has id, name, status, language, category and components', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'Hi' },
      { type: 'BODY', text: 'Hello {{1}}' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Go', url: 'https://example.com/{{1}}' }] },
    ];
    const id = await addTemplate(heliograph, freshChannel, { name: 'welcome', language: 'de', components });
    expect((await list(freshChannel)).json()).toEqual({
      success: true,
      data: [
        { id, name: 'welcome', quality: null, status: 'APPROVED', language: 'de', category: 'UTILITY', components },
      ],
    });
  });

  it('is listed in an array, newest first', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    expect((await list(freshChannel)).json()).toEqual({ success: true, data: [] });
    for (const name of ['one', 'two', 'three']) await addTemplate(heliograph, freshChannel, { name });
    expect(readNames(await list(freshChannel))).toEqual(['three', 'two', 'one']);
  });
});

describe('GET /api/v1/templates', () => {
  let freshChannel: TestChannel;
  beforeAll(async () => {
    freshChannel = await createTestChannel(heliograph.deps);
    await addTemplate(heliograph, freshChannel, { name: 'approved' });
    await addTemplate(heliograph, freshChannel, { name: 'pending', status: 'PENDING' });
  });

  it.each([
    ['APPROVED', ['approved']],
    ['approved', ['approved']],
    ['Pending', ['pending']],
    ['REJECTED', []],
    ['nonsense', []],
    ['toString', []],
    ['', ['pending', 'approved']],
  ])('filters by status=%s, ignoring case', async (status, expected) => {
    const response = await list(freshChannel, `?status=${status}`);
    expect(response.statusCode).toBe(200);
    expect(readNames(response)).toEqual(expected);
  });

  it('lists only templates of the channel', async () => {
    expect(readNames(await list(await createTestChannel(heliograph.deps, freshChannel.account)))).toEqual([]);
    expect(readNames(await list(await createTestChannel(heliograph.deps)))).toEqual([]);
  });
});

describe('POST /api/v1/templates', () => {
  it('creates a PENDING template that cannot be sent until a sync has fetched its approval', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const response = await create(DRAFT, freshChannel);
    expect(response.statusCode).toBe(200);
    const { data } = response.json();
    expect(data).toEqual({ ...DRAFT, quality: null, id: expect.stringMatching(UUID), status: 'PENDING' });
    expect((await list(freshChannel)).json().data).toEqual([data]);

    const message = {
      ...HELLO,
      templateName: DRAFT.name,
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1' }] }],
    };
    expect((await call(heliograph, freshChannel, 'POST', '/messages/template', message)).statusCode).toBe(400);
    expect((await sync(freshChannel)).statusCode).toBe(200);
    expect((await call(heliograph, freshChannel, 'POST', '/messages/template', message)).json().data.status).toBe(
      'sent',
    );
  });

  it("accepts every part of Meta's templates, and passes unknown fields to the carrier", async () => {
    const samples = (...names: string[]) => names.map((name) => ({ param_name: name, example: 'x' }));
    const customer = { header_text_named_params: samples('customer') };
    const parcel = { body_text_named_params: samples('parcel', 'day') };
    const components = [
      { type: 'header', format: 'text', text: 'For {{customer}}', example: customer },
      { type: 'body', text: 'Parcel {{parcel}} arrives on {{day}} at your door.', example: parcel },
      { type: 'footer', text: 'Heliograph' },
      {
        type: 'buttons',
        buttons: [
          { type: 'url', text: 'Track', url: 'https://example.com/{{1}}', example: ['https://example.com/P-7'] },
          { type: 'phone_number', text: 'Call', phone_number: '+4930123456' },
          { type: 'copy_code', example: 'SAVE10' },
          { type: 'quick_reply', text: 'Thanks' },
        ],
      },
    ];
    const withUnknownFields = components.map((component) => ({ ...component, surprise: 1 }));
    const response = await create({ ...DRAFT, name: 'everything', components: withUnknownFields, surprise: 1 });
    expect(response.statusCode).toBe(200);
    expect(response.json().data.components).toEqual([
      { ...withUnknownFields[0], type: 'HEADER', format: 'TEXT' },
      { ...withUnknownFields[1], type: 'BODY' },
      { ...withUnknownFields[2], type: 'FOOTER' },
      {
        type: 'BUTTONS',
        surprise: 1,
        buttons: components[3]?.buttons?.map((button) => ({ ...button, type: button.type.toUpperCase() })),
      },
    ]);
  });

  it.each(['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'])('accepts a header of the format %s', async (format) => {
    const components = [{ type: 'HEADER', format }, ...DRAFT.components];
    const response = await create({ ...DRAFT, name: `header_${format.toLowerCase()}`, components });
    expect(response.json().data.components).toEqual(components);
  });

  const withBody = (text: unknown) => ({ components: [{ type: 'BODY', text }] });
  const withComponent = (component: object) => ({ components: [...DRAFT.components, component] });
  const withButton = (fields: object) => withComponent({ type: 'BUTTONS', buttons: [fields] });
  it.each([
    ['a missing name', { name: undefined }, 'name'],
    ['an upper-case name', { name: 'Order' }, 'name'],
    ['a name with spaces', { name: 'order update' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(513) }, 'name'],
    ['a missing language', { language: undefined }, 'language'],
    ['an invalid language code', { language: 'english!' }, 'language'],
    ['a language that Meta does not support', { language: 'en_US_x' }, 'language'],
    ['a body that ends with a parameter', withBody('On its way: {{1}}'), 'components[0].text'],
    [
      'a body of an authentication template',
      {
        ...withComponent({ type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] }),
        category: 'AUTHENTICATION',
      },
      'components[0].text',
    ],
    ['a missing category', { category: undefined }, 'category'],
    ['an unknown category', { category: 'SPAM' }, 'category'],
    ['missing components', { components: undefined }, 'components'],
    ['empty components', { components: [] }, 'components'],
    ['null components', { components: null }, 'components'],
    ['a component without type', { components: [{ text: 'x' }] }, 'components[0].type'],
    ['a component of an unknown type', withComponent({ type: 'SIDEBAR' }), 'components[1].type'],
    ['no BODY', { components: [{ type: 'FOOTER', text: 'x' }] }, 'components'],
    ['two BODYs', withComponent({ type: 'BODY', text: 'x' }), 'components[1]'],
    ['an empty BODY', withBody(''), 'components[0].text'],
    ['a blank BODY', withBody(' '), 'components[0].text'],
    ['a BODY that is too long', withBody('x'.repeat(1025)), 'components[0].text'],
    ['a BODY that is not a string', withBody(1), 'components[0].text'],
    ['parameters with a gap', withBody('{{1}} {{3}}'), 'components[0].text'],
    ['parameters that start at 0', withBody('{{0}}'), 'components[0].text'],
    ['a parameter with a leading zero', withBody('{{01}}'), 'components[0].text'],
    ['a parameter with and without a leading zero', withBody('{{1}} {{01}}'), 'components[0].text'],
    ['an empty parameter', withBody('Hello {{}}'), 'components[0].text'],
    ['a parameter name with a space', withBody('Hello {{first name}}'), 'components[0].text'],
    ['an unclosed parameter', withBody('{{1}} and {{2 unclosed'), 'components[0].text'],
    ['closing braces without a parameter', withBody('{{1}} and 2}}'), 'components[0].text'],
    [
      'a header with an invalid parameter name',
      withComponent({ type: 'HEADER', text: '{{a-b}}' }),
      'components[1].text',
    ],
    ['a footer with half a parameter', withComponent({ type: 'FOOTER', text: 'Bye {{' }), 'components[1].text'],
    [
      'a button whose URL has an empty parameter',
      withButton({ type: 'URL', text: 'x', url: 'https://example.com/{{}}' }),
      'components[1].buttons[0].url',
    ],
    ['both numbered and named parameters', withBody('{{1}} {{name}}'), 'components[0].text'],
    ['an upper-case parameter name', withBody('{{Name}}'), 'components[0].text'],
    ['a header of an unknown format', withComponent({ type: 'HEADER', format: 'AUDIO' }), 'components[1].format'],
    ['a header without text', withComponent({ type: 'HEADER' }), 'components[1].text'],
    ['an image header with text', withComponent({ type: 'HEADER', format: 'IMAGE', text: 'x' }), 'components[1].text'],
    ['a header with two parameters', withComponent({ type: 'HEADER', text: '{{1}} {{2}}' }), 'components[1].text'],
    ['a footer with a parameter', withComponent({ type: 'FOOTER', text: '{{1}}' }), 'components[1].text'],
    ['a footer that is too long', withComponent({ type: 'FOOTER', text: 'x'.repeat(61) }), 'components[1].text'],
    ['no buttons', withComponent({ type: 'BUTTONS', buttons: [] }), 'components[1].buttons'],
    ['an unknown button', withButton({ type: 'TOASTER', text: 'x' }), 'components[1].buttons[0].type'],
    ['a button without text', withButton({ type: 'QUICK_REPLY' }), 'components[1].buttons[0].text'],
    [
      'a button whose text is too long',
      withButton({ type: 'QUICK_REPLY', text: 'x'.repeat(26) }),
      'components[1].buttons[0].text',
    ],
    ['a button without URL', withButton({ type: 'URL', text: 'x' }), 'components[1].buttons[0].url'],
    [
      'a button with an invalid URL',
      withButton({ type: 'URL', text: 'x', url: 'javascript:x' }),
      'components[1].buttons[0].url',
    ],
    [
      'a button without a phone number',
      withButton({ type: 'PHONE_NUMBER', text: 'x' }),
      'components[1].buttons[0].phone_number',
    ],
  ])('returns 400 for %s, naming it', async (_, fields, field) => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const response = await create({ ...DRAFT, ...fields }, freshChannel);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: 'INVALID_REQUEST', details: [{ field }] });
    expect(readNames(await list(freshChannel))).toEqual([]);
  });

  it('returns 409 for the same name and language, also for concurrent requests', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const responses = await Promise.all(Array.from({ length: 20 }, () => create(DRAFT, freshChannel)));
    const statuses = responses.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const conflict = responses.find(({ statusCode }) => statusCode === 409);
    expect(conflict?.json()).toMatchObject({ success: false, error: { code: 'CONFLICT' } });
    expect((await create({ ...DRAFT, language: 'de' }, freshChannel)).statusCode).toBe(200);
    expect((await list(freshChannel)).json().data).toHaveLength(2);
  });

  it('does not store a template that the carrier refuses', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const refusal = CarrierError.refused(vendorCode('POLICY'), 'The text is forbidden.');
    for (const [carrier, message] of [
      [{ createTemplate: () => Promise.reject(refusal) }, 'The text is forbidden.'],
      [{}, 'The carrier of the channel has no templates.'],
    ] as const) {
      const creation = createTemplate(
        {
          ...heliograph.deps,
          carriers: { get: () => carrier as unknown as Carrier },
          webhookAllowPrivate: false,
          ...heliograph.deps.media,
        },
        onRealCarrier(freshChannel),
        DRAFT,
      );
      await expect(creation).rejects.toMatchObject({ code: 'CARRIER_REFUSED', message });
      expect(readNames(await list(freshChannel))).toEqual([]);
    }
  });

  it('returns the decision of a carrier that decides at once', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const carrier = { createTemplate: async () => ({ status: 'APPROVED' }) } as unknown as Carrier;
    const createdTemplate = await createTemplate(
      { ...heliograph.deps, carriers: { get: () => carrier }, webhookAllowPrivate: false, ...heliograph.deps.media },
      onRealCarrier(freshChannel),
      DRAFT,
    );
    expect(createdTemplate.status).toBe('APPROVED');
    expect((await list(freshChannel, '?status=APPROVED')).json().data).toHaveLength(1);
  });
});

it('cannot create or sync templates on an SMS channel', async () => {
  const freshChannel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
  for (const response of [await create(DRAFT, freshChannel), await sync(freshChannel)]) {
    expect(response.statusCode).toBe(403);
    expect(response.json().error.message).toMatch(/does not carry WhatsApp/);
  }
  expect(readNames(await list(freshChannel))).toEqual([]);
});

describe('POST /api/v1/templates/sync', () => {
  it("fetches the carrier's decisions and its sample, and returns what changed", async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    await create(DRAFT, freshChannel);
    await create({ ...DRAFT, name: 'rejected_offer' }, freshChannel);
    await addTemplate(heliograph, freshChannel, { name: 'paused', status: 'PAUSED' });
    const response = await sync(freshChannel);
    expect(response.statusCode).toBe(200);
    const { templates, ...counts } = response.json().data;
    expect(counts).toEqual({ added: 1, updated: 2, disabled: 0 });
    expect(templates).toEqual((await list(freshChannel)).json().data);
    const statuses = templates.map(({ name, status }: { name: string; status: string }) => [name, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      order_update: 'APPROVED',
      rejected_offer: 'REJECTED',
      paused: 'PAUSED',
      hello_world: 'APPROVED',
    });
    expect((await sync(freshChannel)).json().data).toMatchObject({ added: 0, updated: 0, disabled: 0, templates });
  });

  it('does not change templates of other channels', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const siblingChannel = await createTestChannel(heliograph.deps, freshChannel.account);
    await create(DRAFT, siblingChannel);
    await sync(freshChannel);
    expect((await list(siblingChannel)).json().data).toMatchObject([{ name: DRAFT.name, status: 'PENDING' }]);
  });

  const syncWith = (ownChannel: TestChannel, listTemplates: Carrier['listTemplates']) =>
    syncTemplates(
      { ...heliograph.deps, carriers: { get: () => ({ listTemplates }) as Carrier } },
      onRealCarrier(ownChannel),
    );

  it("adds the carrier's templates, and disables those it no longer has", async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    const keptId = await addTemplate(heliograph, freshChannel, { name: 'kept' });
    for (const name of ['gone', 'fresh']) await addTemplate(heliograph, freshChannel, { name });
    await heliograph.deps.prisma.template.updateMany({
      where: { channelId: freshChannel.channelId, name: 'gone' },
      data: { createdAt: new Date(Date.now() - 3_600_000) },
    });
    const components = [{ type: 'BODY', text: 'New text' }];
    const carrierTemplate = { language: 'en_US', category: 'MARKETING', status: 'APPROVED' as const, components };
    const counts = await syncWith(freshChannel, async () => [
      { ...carrierTemplate, name: 'kept', status: 'PAUSED' },
      { ...carrierTemplate, name: 'kept' },
      { ...carrierTemplate, name: 'new', components: [{ type: 'BODY', text: 'a\0b' }] },
    ]);
    expect(counts).toEqual({ added: 1, updated: 1, disabled: 1 });
    const templates = (await list(freshChannel)).json().data as { id: string; name: string; status: string }[];
    expect(Object.fromEntries(templates.map(({ name, status }) => [name, status]))).toEqual({
      kept: 'APPROVED',
      gone: 'DISABLED',
      // The template `fresh` keeps its status, because the carrier may not have received it yet.
      fresh: 'APPROVED',
      new: 'APPROVED',
    });
    expect(templates.find(({ name }) => name === 'kept')).toMatchObject({
      id: keptId,
      category: 'MARKETING',
      components,
    });
    expect(templates.find(({ name }) => name === 'new')).toMatchObject({ components: [{ type: 'BODY', text: 'ab' }] });
  });

  it('changes nothing if the carrier does not answer', async () => {
    const freshChannel = await createTestChannel(heliograph.deps);
    await addTemplate(heliograph, freshChannel, { name: 'kept' });
    const listBefore = (await list(freshChannel)).body;
    const failToList = (retryable: boolean) => () =>
      Promise.reject(CarrierError.refused(vendorCode('DOWN'), 'The carrier is down.', { retryable }));
    await expect(syncWith(freshChannel, failToList(true))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(syncWith(freshChannel, failToList(false))).rejects.toMatchObject({
      code: 'CARRIER_REFUSED',
      message: 'The carrier is down.',
    });
    await expect(syncWith(freshChannel, undefined)).rejects.toMatchObject({ code: 'CARRIER_REFUSED' });
    expect((await list(freshChannel)).body).toBe(listBefore);
  });
});
