import { beforeAll, describe, expect, it } from 'vitest';
import { CARRIER } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { buildEnvelope, buildInbound, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { openForSuite } from '../../support/for-suite.js';
import { buildFile } from '../../support/media/files.js';
import { openMetaEndpoint } from '../../support/meta-endpoint.js';
import { normalizeMessage } from '../../support/normalize-message.js';
import { waitFor } from '../../support/wait-for.js';
import { ADA, addBoth, graphWorld } from './world.js';

type Json = Record<string, unknown>;

/**
 * Requests of programs whose base URL can be set, taken from their sources: Chatwoot (`app/services/whatsapp`), Typebot
 * (`packages/whatsapp`) and Evolution (`src/api/integrations/channel/meta`).
 */
const world = graphWorld({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const endpoint = openForSuite(openMetaEndpoint);
const HELLO = { name: 'hello_world', components: [{ type: 'BODY', text: 'Hello {{1}}' }] };

beforeAll(() => addBoth(world, HELLO));

async function ask(method: string, path: string, { json, form, headers = {} }: Asked = {}) {
  const url = path.startsWith('http') ? path : world.baseUrl + path;
  const ofJson: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
  const body = form ?? (json === undefined ? null : JSON.stringify(json));
  const response = await fetch(url, { method, headers: { ...ofJson, ...headers }, body });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}
interface Asked {
  json?: Json;
  form?: FormData;
  headers?: Record<string, string>;
}
const jsonOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString());
const bearer = () => ({ authorization: `Bearer ${world.token}` });

/** Expects that Meta receives a message with the same meaning. */
async function expectSent(path: string, sent: Json, meant: Json = sent): Promise<void> {
  const answer = await ask('POST', path, { json: sent, headers: bearer() });
  expect([answer.status, jsonOf(answer)]).toMatchObject([
    200,
    { messages: [{ id: expect.stringMatching(/^wamid\./) }] },
  ]);
  expect(normalizeMessage(world.stub.accepted.at(-1)?.body ?? {})).toEqual(normalizeMessage(meant));
}

async function receivedPicture(bytes: Buffer): Promise<string> {
  const { heliograph, stub, channel } = world;
  const picture = { id: stub.media.receive({ bytes, mimeType: 'image/jpeg' }), mime_type: 'image/jpeg' };
  await postWebhook(heliograph, stub, CARRIER, buildEnvelope(buildInbound('image', picture, { from: ADA })));
  return waitFor('the picture', async () => {
    const where = { channelId: channel.channelId, carrierMediaId: picture.id };
    return (await heliograph.deps.prisma.media.findFirst({ where }))?.id;
  });
}

describe('Chatwoot, with WHATSAPP_CLOUD_BASE_URL', () => {
  const json = () => ({ ...bearer(), 'content-type': 'application/json' });
  const messages = () => `/v13.0/${world.phoneNumberId}/messages`;
  const account = () => `/v14.0/${world.businessAccountId}`;

  it('checks an inbox by its templates, with the token in the query, and reads all pages', async () => {
    const wrong = await ask('GET', `${account()}/message_templates?access_token=nobody.knows`);
    expect(wrong.status).toBe(401);
    const names: string[] = [];
    let next: string | undefined = `${account()}/message_templates?access_token=${world.token}&limit=1`;
    while (next) {
      const page = jsonOf(await ask('GET', next));
      names.push(...page.data.map(({ name }: { name: string }) => name));
      next = page.paging?.next;
    }
    expect(names).toEqual(['hello_world']);
  });

  it('sends text, files, choices and templates', async () => {
    const head = { messaging_product: 'whatsapp', context: null, to: ADA };
    await expectSent(messages(), { ...head, text: { body: 'Hello' }, type: 'text' });
    const context = { message_id: world.inboundId };
    await expectSent(messages(), { ...head, context, text: { body: 'Hello' }, type: 'text' });
    const link = 'https://example.com/rails/active_storage/blobs/redirect/x/cat.png';
    await expectSent(messages(), { ...head, type: 'image', image: { link, caption: null } });
    await expectSent(messages(), {
      ...head,
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
    // The action is JSON in a text.
    const buttons = [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }];
    const sections = [{ rows: [{ id: 'one', title: 'One' }] }];
    for (const [type, action] of [
      ['button', { buttons }],
      ['list', { button: 'Choose an item', sections }],
    ] as const) {
      const sent = (as: unknown) => ({
        ...{ messaging_product: 'whatsapp', to: ADA, type: 'interactive' },
        interactive: { type, body: { text: 'Which?' }, action: as },
      });
      await expectSent(messages(), sent(JSON.stringify(action)), sent(action));
    }
  });

  it('shows what was wrong with a message in the words of the error', async () => {
    const sent = { messaging_product: 'whatsapp', to: '15005550432', text: { body: 'Hello' }, type: 'text' };
    const answer = await ask('POST', messages(), { json: sent, headers: bearer() });
    expect(jsonOf(answer).error.message).toBe('(#131047) The contact wrote more than 24 hours ago: send a template');
  });

  it('gets a file by its ID and the number, and downloads it with JSON headers', async () => {
    const bytes = buildFile('image/jpeg', 5000);
    const id = await receivedPicture(bytes);
    const described = await ask('GET', `/v13.0/${id}?phone_number_id=${world.phoneNumberId}`, { headers: json() });
    const file = await ask('GET', jsonOf(described).url, { headers: json() });
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
    const made = await ask('POST', `${account()}/message_templates`, { json: draft, headers: json() });
    expect([made.status, jsonOf(made)]).toMatchObject([200, { id: expect.stringMatching(/^\d+$/) }]);
    const found = jsonOf(await ask('GET', `${account()}/message_templates?name=${name}`, { headers: json() }));
    expect(found.data).toMatchObject([{ id: jsonOf(made).id, name, status: 'PENDING', language: 'en' }]);
    const deleted = await ask('DELETE', `${account()}/message_templates?name=${name}`, { headers: json() });
    expect([deleted.status, jsonOf(deleted)]).toEqual([200, { success: true }]);
  });

  it('checks its number, registers it, and subscribes its own URL to messages', async () => {
    const number = await ask('GET', `/v22.0/${world.phoneNumberId}`, { headers: json() });
    expect(jsonOf(number)).toMatchObject({ code_verification_status: 'VERIFIED', platform_type: 'CLOUD_API' });
    const pin = { messaging_product: 'whatsapp', pin: '212834' };
    const registered = await ask('POST', `/v22.0/${world.phoneNumberId}/register`, { json: pin, headers: bearer() });
    expect(jsonOf(registered)).toEqual({ success: true });
    const apps = `/v22.0/${world.businessAccountId}/subscribed_apps`;
    const override = { override_callback_uri: endpoint.url, verify_token: 'a-word' };
    const subscribed = await ask('POST', apps, { json: override, headers: bearer() });
    expect([subscribed.status, jsonOf(subscribed)]).toEqual([200, { success: true }]);
    expect(endpoint.challenges.at(-1)?.get('hub.verify_token')).toBe('a-word');
    await expectSent(messages(), { messaging_product: 'whatsapp', to: ADA, text: { body: 'Hello' }, type: 'text' });
    const webhook = await waitFor('the status', async () => endpoint.webhooks.at(-1));
    expect(JSON.parse(webhook.body)).toMatchObject({
      object: 'whatsapp_business_account',
      entry: [{ id: world.businessAccountId, changes: [{ value: { statuses: [{ status: 'sent' }] } }] }],
    });
    const unsubscribed = await ask('DELETE', apps, { headers: bearer() });
    expect(jsonOf(unsubscribed)).toEqual({ success: true });
    expect(jsonOf(await ask('GET', apps, { headers: bearer() }))).toEqual({ data: [] });
    const refused = await ask('POST', apps, { json: { ...override, verify_token: undefined }, headers: bearer() });
    expect(jsonOf(refused).error.error_data.details).toBe('verify_token is required if override_callback_uri is sent');
    endpoint.behaviour.answers = () => 'wrong';
    const other = { override_callback_uri: `${endpoint.url}/other`, verify_token: 'a-word' };
    const unknown = await ask('POST', apps, { json: other, headers: bearer() });
    expect([unknown.status, jsonOf(unknown).error]).toMatchObject([
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
    const token = await ask('GET', `/v17.0/debug_token?input_token=${encodeURIComponent(world.token)}&${proof}`, {
      headers,
    });
    const { data } = jsonOf(token);
    expect(data).toEqual({
      app_id: expect.stringMatching(/^\d{15}$/),
      application: 'Heliograph',
      type: 'SYSTEM_USER',
      is_valid: true,
      expires_at: 0,
      data_access_expires_at: 0,
      scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'],
      granular_scopes: [
        { scope: 'whatsapp_business_management', target_ids: [world.businessAccountId] },
        { scope: 'whatsapp_business_messaging', target_ids: [world.businessAccountId] },
      ],
    });
    const wrong = await ask('GET', '/v17.0/debug_token?input_token=nobody.knows', { headers });
    expect(jsonOf(wrong)).toMatchObject({ data: { is_valid: false, scopes: [], error: { code: 190 } } });

    const fields = 'fields=id%2Cdisplay_phone_number&limit=100';
    const numbers = await ask('GET', `/v17.0/${world.businessAccountId}/phone_numbers?${fields}&${proof}`, { headers });
    const display_phone_number = `+${world.channel.phoneNumber}`;
    expect(jsonOf(numbers).data).toEqual([{ id: world.phoneNumberId, display_phone_number }]);
    expect(jsonOf(numbers).paging.next).toBeUndefined();

    const apps = `/v17.0/${world.businessAccountId}/subscribed_apps?${proof}`;
    // Without a body and without a Content-Type.
    expect(jsonOf(await ask('POST', apps, { headers }))).toEqual({ success: true });
    expect(jsonOf(await ask('GET', apps, { headers })).data).toMatchObject([
      { whatsapp_business_api_data: { id: data.app_id }, override_callback_uri: endpoint.url },
    ]);
  });

  it('sends messages of its bots with typing indicators, uploads images and downloads files', async () => {
    const messages = `/v17.0/${world.phoneNumberId}/messages`;
    const head = { messaging_product: 'whatsapp', to: ADA };
    await expectSent(messages, { ...head, type: 'text', text: { body: 'Hi' } });
    const location = { latitude: 51.5, longitude: -0.12 };
    await expectSent(messages, { ...head, type: 'location', location });
    const buttons = [{ type: 'reply', reply: { id: 'b', title: 'Yes' } }];
    const header = { type: 'image', image: { link: 'https://example.com/a.png' } };
    const interactive = { type: 'button', header, body: { text: '―' }, action: { buttons } };
    await expectSent(messages, { ...head, type: 'interactive', interactive });

    const typing_indicator = { type: 'text' };
    const mark = { messaging_product: 'whatsapp', status: 'read', message_id: world.inboundId, typing_indicator };
    const marked = await ask('POST', messages.replace('v17', 'v21'), { json: mark, headers: bearer() });
    expect(jsonOf(marked)).toEqual({ success: true });

    const bytes = buildFile('image/png', 9000);
    const form = new FormData();
    form.append('file', new Blob([bytes], { type: 'image/png' }));
    form.append('type', 'image/png');
    form.append('messaging_product', 'whatsapp');
    const uploaded = await ask('POST', `/v21.0/${world.phoneNumberId}/media`, { form, headers: bearer() });
    const { id } = jsonOf(uploaded);
    const described = jsonOf(await ask('GET', `/v17.0/${id}`, { headers: bearer() }));
    expect(described).toMatchObject({ mime_type: 'image/png' });
    const file = await ask('GET', described.url, { headers: { ...bearer(), 'user-agent': 'Mozilla/5.0' } });
    expect(file.bytes.equals(bytes)).toBe(true);
  });
});

describe('Evolution, with WA_BUSINESS_URL', () => {
  it('sends, uploads, downloads files, and reads and creates templates', async () => {
    const version = 'v20.0';
    const messages = `/${version}/${world.phoneNumberId}/messages`;
    const head = { messaging_product: 'whatsapp', recipient_type: 'individual', to: ADA };
    const quoted = { context: { message_id: world.inboundId } };
    await expectSent(messages, { ...head, type: 'text', text: { body: 'Hi', preview_url: false }, ...quoted });
    const contact = { name: { formatted_name: 'Ada', first_name: 'Ada' }, phones: [{ phone: '15005550111' }] };
    // The program sends empty objects for missing values.
    const contacts = [{ ...contact, urls: [{}], emails: [{}], org: {} }];
    await expectSent(messages, { ...head, type: 'contacts', contacts });
    const reaction = { message_id: world.inboundId, emoji: '👍' };
    await expectSent(messages, { ...head, type: 'reaction', reaction });
    const buttons = [{ type: 'reply', reply: { title: 'Yes', id: 'yes' } }];
    const interactive = { type: 'button', body: { text: 'Select' }, action: { buttons } };
    await expectSent(messages, { ...head, type: 'interactive', interactive });

    const form = new FormData();
    form.append('file', new Blob([buildFile('audio/mpeg', 3000)], { type: 'audio/mpeg' }), 'a.mp3');
    // The program's own field, which Meta ignores.
    form.append('typeFile', 'audio/mpeg');
    form.append('messaging_product', 'whatsapp');
    const uploaded = await ask('POST', `/${version}/${world.phoneNumberId}/media`, { form, headers: bearer() });
    expect([uploaded.status, jsonOf(uploaded)]).toEqual([200, { id: expect.any(String) }]);
    const described = await ask('GET', `/${version}/${jsonOf(uploaded).id}`, {
      headers: { ...bearer(), 'content-type': 'application/json' },
    });
    expect((await ask('GET', jsonOf(described).url, { headers: bearer() })).bytes).toHaveLength(3000);

    const templates = `/${version}/${world.businessAccountId}/message_templates`;
    const components = [{ type: 'BODY', text: 'Hello' }];
    const draft = {
      name: 'from_evolution',
      category: 'UTILITY',
      allow_category_change: true,
      language: 'en_US',
      components,
    };
    const made = await ask('POST', templates, { json: draft, headers: bearer() });
    expect(jsonOf(made)).toMatchObject({ id: expect.any(String), status: 'PENDING' });
    expect(jsonOf(await ask('GET', templates, { headers: bearer() })).data).toMatchObject([
      { name: 'from_evolution' },
      { name: 'hello_world' },
    ]);
  });
});
