import { beforeAll, describe, expect, it } from 'vitest';
import { CARRIER } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { openForSuite } from '../../support/for-suite.js';
import { buildFile } from '../../support/media/files.js';
import { openMetaEndpoint } from '../../support/meta-endpoint.js';
import { normalizeMessage } from '../../support/normalize-message.js';
import { waitFor } from '../../support/wait-for.js';
import { ADA, addTemplateAtMeta, graphSuite } from './graph-suite.js';

type Json = Record<string, unknown>;

/**
 * Requests from the sources of programs whose base URL can be set: Chatwoot (`app/services/whatsapp`), Typebot
 * (`packages/whatsapp`) and Evolution (`src/api/integrations/channel/meta`).
 */
const suite = graphSuite({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const endpoint = openForSuite(openMetaEndpoint);
const HELLO = { name: 'hello_world', components: [{ type: 'BODY', text: 'Hello {{1}}' }] };

beforeAll(() => addTemplateAtMeta(suite, HELLO));

async function request(method: string, path: string, { json, form, headers = {} }: RequestOptions = {}) {
  const url = path.startsWith('http') ? path : suite.baseUrl + path;
  const jsonHeaders: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
  const body = form ?? (json === undefined ? null : JSON.stringify(json));
  const response = await fetch(url, { method, headers: { ...jsonHeaders, ...headers }, body });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
interface RequestOptions {
  json?: Json;
  form?: FormData;
  headers?: Record<string, string>;
}
const parseJson = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString());
const bearer = () => ({ authorization: `Bearer ${suite.token}` });

/** Sends a message and expects that Meta receives an equivalent one. */
async function expectSent(path: string, message: Json, expected: Json = message): Promise<void> {
  const response = await request('POST', path, { json: message, headers: bearer() });
  expect([response.status, parseJson(response)]).toMatchObject([
    200,
    { messages: [{ id: expect.stringMatching(/^wamid\./) }] },
  ]);
  expect(normalizeMessage(suite.stub.accepted.at(-1)?.body ?? {})).toEqual(normalizeMessage(expected));
}

async function receiveImage(bytes: Buffer): Promise<string> {
  const { heliograph, stub, channel } = suite;
  const image = { id: stub.media.receive({ bytes, mimeType: 'image/jpeg' }), mime_type: 'image/jpeg' };
  await postWebhook(heliograph, stub, CARRIER, buildEnvelope(buildInbound('image', image, { from: ADA })));
  return waitFor('the image', async () => {
    const where = { channelId: channel.channelId, carrierMediaId: image.id };
    return (await heliograph.deps.prisma.media.findFirst({ where }))?.id;
  });
}

describe('Chatwoot, with WHATSAPP_CLOUD_BASE_URL', () => {
  const json = () => ({ ...bearer(), 'content-type': 'application/json' });
  const messages = () => `/v13.0/${suite.phoneNumberId}/messages`;
  const account = () => `/v14.0/${suite.businessAccountId}`;

  it('checks an inbox by reading all pages of its templates, with the token in the query', async () => {
    const wrongTokenResponse = await request('GET', `${account()}/message_templates?access_token=nobody.knows`);
    expect(wrongTokenResponse.status).toBe(401);
    const names: string[] = [];
    let next: string | undefined = `${account()}/message_templates?access_token=${suite.token}&limit=1`;
    while (next) {
      const page = parseJson(await request('GET', next));
      names.push(...page.data.map(({ name }: { name: string }) => name));
      next = page.paging?.next;
    }
    expect(names).toEqual(['hello_world']);
  });

  it('sends text, files, choices and templates', async () => {
    const commonFields = { messaging_product: 'whatsapp', context: null, to: ADA };
    await expectSent(messages(), { ...commonFields, text: { body: 'Hello' }, type: 'text' });
    const context = { message_id: suite.inboundId };
    await expectSent(messages(), { ...commonFields, context, text: { body: 'Hello' }, type: 'text' });
    const link = 'https://example.com/rails/active_storage/blobs/redirect/x/cat.png';
    await expectSent(messages(), { ...commonFields, type: 'image', image: { link, caption: null } });
    await expectSent(messages(), {
      ...commonFields,
      type: 'document',
      document: { link, caption: 'A cat', filename: 'cat.png' },
    });
    await expectSent(messages(), {
      ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: ADA, type: 'template' },
      template: {
        name: 'hello_world',
        language: { policy: 'deterministic', code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }],
      },
    });
    // Chatwoot sends the `action` of an interactive message as JSON in a string.
    const buttons = [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }];
    const sections = [{ rows: [{ id: 'one', title: 'One' }] }];
    for (const [type, action] of [
      ['button', { buttons }],
      ['list', { button: 'Choose an item', sections }],
    ] as const) {
      const interactiveMessage = (action: unknown) => ({
        ...{ messaging_product: 'whatsapp', to: ADA, type: 'interactive' },
        interactive: { type, body: { text: 'Which?' }, action },
      });
      await expectSent(messages(), interactiveMessage(JSON.stringify(action)), interactiveMessage(action));
    }
  });

  it('shows the error message of a refused message', async () => {
    const message = { messaging_product: 'whatsapp', to: '15005550432', text: { body: 'Hello' }, type: 'text' };
    const response = await request('POST', messages(), { json: message, headers: bearer() });
    expect(parseJson(response).error.message).toBe(
      '(#131047) The contact wrote more than 24 hours ago: send a template',
    );
  });

  it('gets a file by its ID and phone number ID, and downloads it with JSON headers', async () => {
    const bytes = buildFile('image/jpeg', 5000);
    const id = await receiveImage(bytes);
    const descriptionResponse = await request('GET', `/v13.0/${id}?phone_number_id=${suite.phoneNumberId}`, {
      headers: json(),
    });
    const file = await request('GET', parseJson(descriptionResponse).url, { headers: json() });
    expect([file.status, file.headers.get('content-type'), file.bytes.equals(bytes)]).toEqual([
      200,
      'image/jpeg',
      true,
    ]);
  });

  it('creates its survey template, reads its status, and deletes it', async () => {
    const name = 'customer_satisfaction_survey';
    const url = 'https://example.com/survey/responses/{{1}}';
    const components = [
      { type: 'BODY', text: 'Please rate us' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Rate', url, example: ['12345'] }] },
    ];
    const draft = { name, language: 'en', category: 'UTILITY', components };
    const createResponse = await request('POST', `${account()}/message_templates`, { json: draft, headers: json() });
    expect([createResponse.status, parseJson(createResponse)]).toMatchObject([
      200,
      { id: expect.stringMatching(/^\d+$/) },
    ]);
    const listedTemplates = parseJson(
      await request('GET', `${account()}/message_templates?name=${name}`, { headers: json() }),
    );
    expect(listedTemplates.data).toMatchObject([
      { id: parseJson(createResponse).id, name, status: 'PENDING', language: 'en' },
    ]);
    const deleteResponse = await request('DELETE', `${account()}/message_templates?name=${name}`, { headers: json() });
    expect([deleteResponse.status, parseJson(deleteResponse)]).toEqual([200, { success: true }]);
  });

  it('checks and registers its number, and subscribes its URL to messages', async () => {
    const numberResponse = await request('GET', `/v22.0/${suite.phoneNumberId}`, { headers: json() });
    expect(parseJson(numberResponse)).toMatchObject({
      code_verification_status: 'VERIFIED',
      platform_type: 'CLOUD_API',
    });
    const pin = { messaging_product: 'whatsapp', pin: '212834' };
    const registerResponse = await request('POST', `/v22.0/${suite.phoneNumberId}/register`, {
      json: pin,
      headers: bearer(),
    });
    expect(parseJson(registerResponse)).toEqual({ success: true });
    const apps = `/v22.0/${suite.businessAccountId}/subscribed_apps`;
    const override = { override_callback_uri: endpoint.url, verify_token: 'a-word' };
    const subscribeResponse = await request('POST', apps, { json: override, headers: bearer() });
    expect([subscribeResponse.status, parseJson(subscribeResponse)]).toEqual([200, { success: true }]);
    expect(endpoint.challenges.at(-1)?.get('hub.verify_token')).toBe('a-word');
    await expectSent(messages(), { messaging_product: 'whatsapp', to: ADA, text: { body: 'Hello' }, type: 'text' });
    const webhook = await waitFor('the status', async () => endpoint.webhooks.at(-1));
    expect(JSON.parse(webhook.body)).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [{ id: suite.businessAccountId, changes: [{ value: { statuses: [{ status: 'sent' }] } }] }],
    });
    const unsubscribeResponse = await request('DELETE', apps, { headers: bearer() });
    expect(parseJson(unsubscribeResponse)).toEqual({ success: true });
    expect(parseJson(await request('GET', apps, { headers: bearer() }))).toEqual({ data: [] });
    const refusal = await request('POST', apps, { json: { ...override, verify_token: undefined }, headers: bearer() });
    expect(parseJson(refusal).error.error_data.details).toBe(
      'verify_token is required if override_callback_uri is sent',
    );
    endpoint.behaviour.answers = () => 'wrong';
    const otherOverride = { override_callback_uri: `${endpoint.url}/other`, verify_token: 'a-word' };
    const unknownUrlResponse = await request('POST', apps, { json: otherOverride, headers: bearer() });
    expect([unknownUrlResponse.status, parseJson(unknownUrlResponse).error]).toMatchObject([
      400,
      {
        code: 100,
        error_data: {
          details: expect.stringMatching(
            /^override_callback_uri did not respond to Meta's verification request with the challenge/,
          ),
        },
      },
    ]);
  });
});

describe('Typebot, with WHATSAPP_CLOUD_API_URL', () => {
  it('reads the token, the numbers of the account and its subscriptions, and subscribes', async () => {
    const proof = 'appsecret_proof=0f3a';
    const headers = bearer();
    const token = await request('GET', `/v17.0/debug_token?input_token=${encodeURIComponent(suite.token)}&${proof}`, {
      headers,
    });
    const { data } = parseJson(token);
    expect(data).toEqual({
      app_id: expect.stringMatching(/^\d{15}$/),
      application: 'Heliograph',
      type: 'SYSTEM_USER',
      is_valid: true,
      expires_at: 0,
      data_access_expires_at: 0,
      scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'],
      granular_scopes: [
        { scope: 'whatsapp_business_management', target_ids: [suite.businessAccountId] },
        { scope: 'whatsapp_business_messaging', target_ids: [suite.businessAccountId] },
      ],
    });
    const wrongTokenResponse = await request('GET', '/v17.0/debug_token?input_token=nobody.knows', { headers });
    expect(parseJson(wrongTokenResponse)).toMatchObject({
      data: { is_valid: false, scopes: [], error: { code: 190 } },
    });

    const fields = 'fields=id%2Cdisplay_phone_number&limit=100';
    const numbersResponse = await request('GET', `/v17.0/${suite.businessAccountId}/phone_numbers?${fields}&${proof}`, {
      headers,
    });
    const display_phone_number = `+${suite.channel.phoneNumber}`;
    expect(parseJson(numbersResponse).data).toEqual([{ id: suite.phoneNumberId, display_phone_number }]);
    expect(parseJson(numbersResponse).paging.next).toBeUndefined();

    const apps = `/v17.0/${suite.businessAccountId}/subscribed_apps?${proof}`;
    // Typebot sends neither a body nor a Content-Type.
    expect(parseJson(await request('POST', apps, { headers }))).toEqual({ success: true });
    expect(parseJson(await request('GET', apps, { headers })).data).toMatchObject([
      { whatsapp_business_api_data: { id: data.app_id }, override_callback_uri: endpoint.url },
    ]);
  });

  it('sends messages of its bots with typing indicators, uploads images and downloads files', async () => {
    const messages = `/v17.0/${suite.phoneNumberId}/messages`;
    const commonFields = { messaging_product: 'whatsapp', to: ADA };
    await expectSent(messages, { ...commonFields, type: 'text', text: { body: 'Hi' } });
    const location = { latitude: 51.5, longitude: -0.12 };
    await expectSent(messages, { ...commonFields, type: 'location', location });
    const buttons = [{ type: 'reply', reply: { id: 'b', title: 'Yes' } }];
    const header = { type: 'image', image: { link: 'https://example.com/a.png' } };
    const interactive = { type: 'button', header, body: { text: '―' }, action: { buttons } };
    await expectSent(messages, { ...commonFields, type: 'interactive', interactive });

    const typing_indicator = { type: 'text' };
    const readReceipt = {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: suite.inboundId,
      typing_indicator,
    };
    const readResponse = await request('POST', messages.replace('v17', 'v21'), {
      json: readReceipt,
      headers: bearer(),
    });
    expect(parseJson(readResponse)).toEqual({ success: true });

    const bytes = buildFile('image/png', 9000);
    const form = new FormData();
    form.append('file', new Blob([bytes], { type: 'image/png' }));
    form.append('type', 'image/png');
    form.append('messaging_product', 'whatsapp');
    const uploadResponse = await request('POST', `/v21.0/${suite.phoneNumberId}/media`, { form, headers: bearer() });
    const { id } = parseJson(uploadResponse);
    const description = parseJson(await request('GET', `/v17.0/${id}`, { headers: bearer() }));
    expect(description).toMatchObject({ mime_type: 'image/png' });
    const file = await request('GET', description.url, { headers: { ...bearer(), 'user-agent': 'Mozilla/5.0' } });
    expect(file.bytes.equals(bytes)).toBe(true);
  });
});

describe('Evolution, with WA_BUSINESS_URL', () => {
  it('sends, uploads, downloads files, and reads and creates templates', async () => {
    const version = 'v20.0';
    const messages = `/${version}/${suite.phoneNumberId}/messages`;
    const commonFields = { messaging_product: 'whatsapp', recipient_type: 'individual', to: ADA };
    const quote = { context: { message_id: suite.inboundId } };
    await expectSent(messages, { ...commonFields, type: 'text', text: { body: 'Hi', preview_url: false }, ...quote });
    const contact = { name: { formatted_name: 'Ada', first_name: 'Ada' }, phones: [{ phone: '15005550111' }] };
    // Evolution sends empty objects for missing values.
    const contacts = [{ ...contact, urls: [{}], emails: [{}], org: {} }];
    await expectSent(messages, { ...commonFields, type: 'contacts', contacts });
    const reaction = { message_id: suite.inboundId, emoji: '👍' };
    await expectSent(messages, { ...commonFields, type: 'reaction', reaction });
    const buttons = [{ type: 'reply', reply: { title: 'Yes', id: 'yes' } }];
    const interactive = { type: 'button', body: { text: 'Select' }, action: { buttons } };
    await expectSent(messages, { ...commonFields, type: 'interactive', interactive });

    const form = new FormData();
    form.append('file', new Blob([buildFile('audio/mpeg', 3000)], { type: 'audio/mpeg' }), 'a.mp3');
    // Evolution sends the field `typeFile`, which Meta ignores.
    form.append('typeFile', 'audio/mpeg');
    form.append('messaging_product', 'whatsapp');
    const uploadResponse = await request('POST', `/${version}/${suite.phoneNumberId}/media`, {
      form,
      headers: bearer(),
    });
    expect([uploadResponse.status, parseJson(uploadResponse)]).toEqual([200, { id: expect.any(String) }]);
    const descriptionResponse = await request('GET', `/${version}/${parseJson(uploadResponse).id}`, {
      headers: { ...bearer(), 'content-type': 'application/json' },
    });
    expect((await request('GET', parseJson(descriptionResponse).url, { headers: bearer() })).bytes).toHaveLength(3000);

    const templates = `/${version}/${suite.businessAccountId}/message_templates`;
    const components = [{ type: 'BODY', text: 'Hello' }];
    const draft = {
      name: 'from_evolution',
      category: 'UTILITY',
      allow_category_change: true,
      language: 'en_US',
      components,
    };
    const createResponse = await request('POST', templates, { json: draft, headers: bearer() });
    expect(parseJson(createResponse)).toMatchObject({ id: expect.any(String), status: 'PENDING' });
    expect(parseJson(await request('GET', templates, { headers: bearer() })).data).toMatchObject([
      { name: 'from_evolution' },
      { name: 'hello_world' },
    ]);
  });
});
