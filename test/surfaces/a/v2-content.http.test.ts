import { beforeAll, describe, expect, it } from 'vitest';
import { createChannel } from '../../../src/features/channels/channels.js';
import type { Prisma } from '../../../src/platform/generated/prisma/client.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { waitForStatus } from '../../support/messages.js';
import { sharedApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { expectErrorV2, get, NUMBER, readAccountState, sendV2 } from './requests.js';

const DEFAULT_NUMBER = '15005550100';
const SECOND_NUMBER = '15005550122';

const heliograph = sharedApp();
let account: TestAccount;
const channels: Record<string, string> = {};

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  for (const phoneNumber of [SECOND_NUMBER, DEFAULT_NUMBER])
    channels[phoneNumber] = await openChannel(account, phoneNumber);
  await createTemplate('hello_world', { components: [{ type: 'BODY', text: 'Hello World' }] });
  await createTemplate('greeting', { components: [{ type: 'BODY', text: 'Hello {{1}}!' }] });
  await createTemplate('greeting', { language: 'de', components: [{ type: 'BODY', text: 'Hallo {{1}}!' }] });
  await createTemplate('waiting', { status: 'PENDING' });
  await createTemplate('refused', { status: 'REJECTED' });
});

async function openChannel(owner: TestAccount, phoneNumber: string): Promise<string> {
  const isDefault = phoneNumber === DEFAULT_NUMBER;
  const channel = {
    accountId: owner.id,
    kind: 'whatsapp',
    name: phoneNumber,
    phoneNumber,
    carrier: 'simulator',
  } as const;
  return (await createChannel(heliograph.deps.prisma, { ...channel, isDefault })).id;
}

async function createTemplate(
  name: string,
  fields: Partial<Prisma.TemplateUncheckedCreateInput> = {},
): Promise<string> {
  const { id } = await heliograph.deps.prisma.template.create({
    data: {
      id: newId(),
      accountId: account.id,
      channelId: channels[DEFAULT_NUMBER] as string,
      name,
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: 'Text' }],
      ...fields,
    },
  });
  return id;
}

const BASE = { to: NUMBER, from: DEFAULT_NUMBER };
const send = (body: object) => sendV2(heliograph.app, account, { ...BASE, ...body });

async function sendAndRead(body: object) {
  const response = await send(body);
  expect(response.json()).toMatchObject({ status: 'success', code: 200 });
  const [{ message_id: id, message }] = response.json().data;
  return { message, row: await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } }) };
}

describe('content of /v2/send', () => {
  it('is a text if only message is given, optionally with a URL preview', async () => {
    const plainMessage = await sendAndRead({ channel: 'whatsapp', message: 'Hi' });
    expect(plainMessage).toMatchObject({ message: 'Hi', row: { kind: 'whatsapp', body: 'Hi', content: null } });
    const previewMessage = await sendAndRead({
      channel: 'whatsapp',
      message: 'https://example.com',
      preview_url: true,
    });
    expect(previewMessage.row.content).toEqual({ type: 'text', previewUrl: true });
    expectErrorV2(await send({ channel: 'whatsapp', message: 'x', preview_url: 'true' }), 400, ['preview_url']);
  });

  it('is a template with template_id and template_data', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
    const { message, row } = await sendAndRead({
      template_id: 'greeting',
      template_data: { name: 'greeting', language: { code: 'en_US' }, components },
    });
    expect(message).toBe('Hello Ann!');
    expect(row.body).toBe('Hello Ann!');
    expect(row.content).toEqual({ type: 'template', name: 'greeting', language: 'en_US', components });
  });

  it('is an image with media_url and the type image, optionally with a caption in message', async () => {
    const media_url = 'https://example.com/pictures/a.png';
    const image = { media_url, template_data: { type: 'image' } };
    const content = { type: 'image', url: media_url };
    expect(await sendAndRead(image)).toMatchObject({ message: '', row: { body: '', content } });
    expect(await sendAndRead({ ...image, message: 'Look' })).toMatchObject({
      message: 'Look',
      row: { body: 'Look', content },
    });
  });

  it('is a document with media_url and the type document, optionally with a caption in message', async () => {
    const media_url = 'https://example.com/invoice.pdf';
    const document = { media_url, template_data: { type: 'document' } };
    const content = { type: 'document', url: media_url, filename: 'invoice.pdf' };
    expect(await sendAndRead(document)).toMatchObject({ message: '', row: { body: '', content } });
    expect(await sendAndRead({ ...document, message: 'Invoice' })).toMatchObject({
      message: 'Invoice',
      row: { content },
    });
  });

  it.each([
    ['https://example.com/files/Q3%20report.pdf?token=1', 'Q3 report.pdf'],
    ['https://example.com/files/report', 'report.pdf'],
    ['https://example.com/', 'document.pdf'],
  ])('has the filename of media_url for a document: %s', async (media_url, filename) => {
    const { row } = await sendAndRead({ media_url, template_data: { type: 'document' } });
    expect(row.content).toMatchObject({ filename });
  });

  it('has the template language en_US unless template_data.language.code is given', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
    const englishMessage = await sendAndRead({ template_id: 'greeting', template_data: { components } });
    expect(englishMessage).toMatchObject({ message: 'Hello Ann!', row: { content: { language: 'en_US' } } });
    const germanMessage = await sendAndRead({
      template_id: 'greeting',
      template_data: { language: { code: 'de' }, components },
    });
    expect(germanMessage).toMatchObject({ message: 'Hallo Ann!', row: { content: { language: 'de' } } });
    for (const language of [{}, { code: 1 }, { code: '' }, { code: 'not a code' }, 'en_US']) {
      expectErrorV2(await send({ template_id: 'greeting', template_data: { language } }), 400);
    }
  });
});

describe('media rules of /v2/send', () => {
  it('refuses media_url alone, or with a type other than image or document', async () => {
    const media_url = 'https://example.com/a.png';
    expectErrorV2(await send({ media_url }), 400, ['media_url']);
    expectErrorV2(await send({ media_url, message: 'x' }), 400, ['media_url']);
    for (const type of ['video', 'IMAGE', '', undefined]) {
      expectErrorV2(await send({ media_url, template_data: { type } }), 400, ['template_data.type']);
    }
  });

  it('refuses media_url together with template_id', async () => {
    const body = {
      media_url: 'https://example.com/a.png',
      template_id: 'hello_world',
      template_data: { type: 'image' },
    };
    expectErrorV2(await send(body), 400, ['media_url']);
  });
});

describe('templates of /v2/send', () => {
  it("accepts the ID of a template as template_id, with the template's language", async () => {
    const id = await createTemplate('by_id', { language: 'fr', components: [{ type: 'BODY', text: 'Bonjour' }] });
    const { message, row } = await sendAndRead({ template_id: id });
    expect(message).toBe('Bonjour');
    expect(row.content).toMatchObject({ name: 'by_id', language: 'fr' });
  });

  it('finds the template of the same name in another language, or returns 400 if there is none', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
    const germanTemplate = await heliograph.deps.prisma.template.findFirstOrThrow({
      where: { accountId: account.id, name: 'greeting', language: 'de' },
    });
    const englishSend = { template_id: germanTemplate.id, template_data: { language: { code: 'en_US' }, components } };
    expect(await sendAndRead(englishSend)).toMatchObject({
      message: 'Hello Ann!',
      row: { content: { name: 'greeting', language: 'en_US' } },
    });
    const stateBefore = await readAccountState(heliograph, account);
    for (const templateReference of [
      { template_id: germanTemplate.id },
      { template_id: 'x', name: germanTemplate.id },
    ]) {
      const { template_id, ...name } = templateReference;
      const frenchSend = { template_id, template_data: { ...name, language: { code: 'fr' }, components } };
      expectErrorV2(
        await send(frenchSend),
        400,
        ['template_data.language.code'],
        expect.stringMatching(/is not a language of the template greeting; template_\S+ names it in de$/),
      );
    }
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it.each([
    ['an unknown name', 'nobody_knows', undefined],
    ['a name in another case', 'Greeting', undefined],
    ['another language', 'greeting', { code: 'fr' }],
    ['an unknown ID', newId(), undefined],
  ])(
    'the simulator refuses and refunds templates that its channel does not have, like Meta: %s',
    async (_, name, language) => {
      const stateBefore = await readAccountState(heliograph, account);
      const { row } = await sendAndRead({ template_id: name, template_data: { language } });
      expect(row.content).toMatchObject({ name, language: language?.code ?? 'en_US' });
      await waitForStatus(heliograph, [row.id], 'failed');
      const status = (await get(heliograph.app, `/v2/messages/${row.id}`, account)).json().data;
      expect(status).toMatchObject({
        refunded: true,
        error: { code: '132001', message: expect.stringContaining(name) },
      });
      expect((await readAccountState(heliograph, account)).balance).toBe(stateBefore.balance);
    },
  );

  it('the simulator delivers templates of its channel, and the sample that every account has', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
    const templateMessage = await sendAndRead({
      template_id: 'greeting',
      template_data: { language: { code: 'de' }, components },
    });
    const freshAccount = await createTestAccount(heliograph.deps);
    await openChannel(freshAccount, '15005550155');
    const sampleResponse = await sendV2(heliograph.app, freshAccount, { ...BASE, template_id: 'hello_world' });
    await waitForStatus(heliograph, [templateMessage.row.id, sampleResponse.json().data[0].message_id], 'delivered');
  });

  it('uses template_data.name as the name if present', async () => {
    const { row } = await sendAndRead({ template_id: 'an-identifier', template_data: { name: 'hello_world' } });
    expect(row).toMatchObject({ body: 'Hello World', content: { name: 'hello_world' } });
  });

  it.each(['waiting', 'refused'])('refuses a template that is not APPROVED: %s', async (template_id) => {
    const stateBefore = await readAccountState(heliograph, account);
    expectErrorV2(await send({ template_id }), 400, ['template_id'], expect.stringContaining('APPROVED'));
    const sendByName = { template_id: 'x', template_data: { name: template_id } };
    expectErrorV2(await send(sendByName), 400, ['template_data.name']);
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it("passes an unknown template to the carrier, with the caller's text for it", async () => {
    expect(await sendAndRead({ template_id: 'nobody_knows' })).toMatchObject({
      message: '',
      row: { body: '', content: { type: 'template', name: 'nobody_knows', language: 'en_US', components: [] } },
    });
    expect(await sendAndRead({ template_id: 'nobody_knows', message: 'Your order' })).toMatchObject({
      message: 'Your order',
    });
  });

  it("treats another account's template as unknown", async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    await openChannel(otherAccount, '15005550133');
    const response = await sendV2(heliograph.app, otherAccount, { ...BASE, template_id: 'hello_world' });
    expect(response.json().data[0].message).toBe('');
  });

  it('names a missing parameter, and leaves a surplus one to the carrier', async () => {
    const components = [{ type: 'body', parameters: [] }];
    expectErrorV2(await send({ template_id: 'greeting' }), 400, ['template_data.components']);
    const sendWithMissing = { template_id: 'greeting', template_data: { components } };
    expectErrorV2(await send(sendWithMissing), 400, ['template_data.components[0]'], expect.stringContaining('{{1}}'));
    const surplusComponents = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
    const { message } = await sendAndRead({
      template_id: 'hello_world',
      template_data: { components: surplusComponents },
    });
    expect(message).toBe('Hello World');
  });

  it('passes unknown fields of template_data.components to the carrier unchanged', async () => {
    const imageParameter = { type: 'image', image: { link: 'https://example.com/a.png', evil: 1 }, evil: 1 };
    const components = [
      { type: 'header', parameters: [imageParameter] },
      { type: 'button', sub_type: 'url', index: '0', evil: 1, parameters: [{ type: 'text', text: 'x', evil: 1 }] },
    ];
    const { row } = await sendAndRead({ template_id: 'nobody_knows', template_data: { evil: 1, components } });
    expect(row.content).toEqual({ type: 'template', name: 'nobody_knows', language: 'en_US', components });
  });

  it.each([
    [{ components: {} }, 'template_data.components'],
    [{ components: ['x'] }, 'template_data.components[0]'],
    [{ components: [{}] }, 'template_data.components[0].type'],
    [{ components: [{ type: 1 }] }, 'template_data.components[0].type'],
    [{ components: [{ type: 'body', parameters: {} }] }, 'template_data.components[0].parameters'],
    [{ components: [{ type: 'body', parameters: [{ text: 'x' }] }] }, 'template_data.components[0].parameters[0].type'],
    [
      { components: [{ type: 'body', parameters: [{ type: 'text', text: 1 }] }] },
      'template_data.components[0].parameters[0].text',
    ],
    [{ name: '' }, 'template_data.name'],
  ])('refuses %j', async (template_data, field) => {
    expectErrorV2(await send({ template_id: 'nobody_knows', template_data }), 400, [field]);
  });
});

describe('the WhatsApp channel of /v2/send', () => {
  it('is the one whose phone number is given in from', async () => {
    for (const from of [SECOND_NUMBER, `+${SECOND_NUMBER}`, '+1 500 555 0122']) {
      const { row } = await sendAndRead({ from, channel: 'whatsapp', message: 'x' });
      expect(row).toMatchObject({ channelId: channels[SECOND_NUMBER], sender: SECOND_NUMBER });
    }
  });

  it("is the account's default channel otherwise", async () => {
    for (const from of ['Heliograph', '15005550199']) {
      const { row } = await sendAndRead({ from, channel: 'whatsapp', message: 'x' });
      expect(row.channelId).toBe(channels[DEFAULT_NUMBER]);
    }
  });

  it('sends from its own number, while every response echoes the from of the request', async () => {
    for (const from of ['Heliograph', '15005550199', '+1 500 555 0100']) {
      const body = { ...BASE, from, channel: 'whatsapp', message: 'x' };
      const headers = { 'idempotency-key': `echo ${from}` };
      const firstResponse = await sendV2(heliograph.app, account, body, headers);
      expect(firstResponse.json().data[0].from).toBe(from);
      const secondResponse = await sendV2(heliograph.app, account, body, headers);
      expect(secondResponse.json()).toEqual(firstResponse.json());
      const statusResponse = await get(
        heliograph.app,
        `/v2/messages/${firstResponse.json().data[0].message_id}`,
        account,
      );
      expect(statusResponse.json().data.from).toBe(DEFAULT_NUMBER);
    }
  });

  it('must be named in from with WHATSAPP_STRICT_FROM=true', async () => {
    const strictApp = await testApp({
      sharesWith: heliograph,
      role: 'api',
      settings: { WHATSAPP_STRICT_FROM: 'true' },
    });
    try {
      const body = { ...BASE, channel: 'whatsapp', message: 'x' };
      const rule = 'from must be the phone number of one of the WhatsApp channels of the account';
      for (const from of ['Heliograph', '15005550199']) {
        expectErrorV2(await sendV2(strictApp.app, account, { ...body, from }), 400, ['from'], rule);
      }
      expect((await sendV2(strictApp.app, account, { ...body, from: '+1 500 555 0122' })).statusCode).toBe(200);
      expect((await sendV2(strictApp.app, account, { ...BASE, from: 'Shop', message: 'x' })).statusCode).toBe(200);
    } finally {
      await strictApp.close();
    }
  });

  it("is never another account's channel", async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    const otherChannelId = await openChannel(otherAccount, '15005550144');
    const response = await sendV2(heliograph.app, otherAccount, { ...BASE, channel: 'whatsapp', message: 'x' });
    const id = response.json().data[0].message_id;
    expect((await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } })).channelId).toBe(otherChannelId);
  });

  it('is required: the error for an account without one names from', async () => {
    const accountWithoutChannel = await createTestAccount(heliograph.deps);
    const response = await sendV2(heliograph.app, accountWithoutChannel, {
      ...BASE,
      channel: 'whatsapp',
      message: 'x',
    });
    expectErrorV2(response, 400, ['from'], expect.stringContaining('no WhatsApp channel'));
    expect((await sendV2(heliograph.app, accountWithoutChannel, { ...BASE, message: 'x' })).statusCode).toBe(200);
  });

  it('cannot send if it is not active', async () => {
    const pausedAccount = await createTestAccount(heliograph.deps);
    const id = await openChannel(pausedAccount, DEFAULT_NUMBER);
    await heliograph.deps.prisma.channel.update({ where: { id }, data: { isActive: false } });
    const response = await sendV2(heliograph.app, pausedAccount, { ...BASE, channel: 'whatsapp', message: 'x' });
    expectErrorV2(response, 400, ['from'], expect.stringContaining('not active'));
  });
});
