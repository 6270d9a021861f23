import { beforeAll, describe, expect, it } from 'vitest';
import { callGraph } from '../../support/graph-calls.js';
import { buildForm } from '../../support/media/calls.js';
import { buildFile, type FileType } from '../../support/media/files.js';
import { normalizeMessage } from '../../support/normalize-message.js';
import { MESSAGES, TEMPLATES } from './meta-examples.js';
import { DRAFTS } from './meta-template-examples.js';
import { ADA, addBoth, graphWorld } from './world.js';

const world = graphWorld();
const post = (path: string, body: object) => callGraph(world.heliograph, world.channel, 'POST', path, body);

beforeAll(async () => {
  for (const template of TEMPLATES) await addBoth(world, template);
});

/** An example as sent. It replies to Ada's message. */
function sentOf(example: object): Record<string, unknown> {
  const text = JSON.stringify({ messaging_product: 'whatsapp', to: ADA, ...example });
  return JSON.parse(text.replaceAll('"INBOUND"', JSON.stringify(world.inboundId))) as Record<string, unknown>;
}

describe('Meta’s own examples of messages', () => {
  it.each(Object.entries(MESSAGES))('%s', async (_name, example) => {
    const sent = sentOf(example);
    const response = await post(`/${world.phoneNumberId}/messages`, sent);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: ADA, wa_id: ADA }],
      messages: [{ id: expect.stringMatching(/^wamid\.[0-9A-F]{32}$/), message_status: 'accepted' }],
    });
    expect(normalizeMessage(world.stub.accepted.at(-1)?.body ?? {})).toEqual(normalizeMessage(sent));
  });

  it('include the typing indicator and read receipt', async () => {
    const { inboundId: message_id, phoneNumberId } = world;
    const mark = { messaging_product: 'whatsapp', status: 'read', message_id, typing_indicator: { type: 'text' } };
    const response = await post(`/${phoneNumberId}/messages`, mark);
    expect([response.statusCode, response.json()]).toEqual([200, { success: true }]);
    expect(world.stub.readReceipts.at(-1)).toEqual(mark);
  });

  it('except Sample Issue Resolution Template: true and false are not valid as `text`, which is documented as a text', async () => {
    const pressed = { type: 'button', sub_type: 'quick_reply', index: 0, parameters: [{ type: 'text', text: true }] };
    const template = { name: 'issue_resolution', language: { code: 'en_US' }, components: [pressed] };
    const response = await post(`/${world.phoneNumberId}/messages`, sentOf({ type: 'template', template }));
    expect([response.statusCode, response.json().error]).toMatchObject([
      400,
      { code: 131009, error_data: { details: 'template.components[0].parameters[0].text must be a string' } },
    ]);
  });

  it('except those of the Marketing Messages API, which has other paths', async () => {
    const template = { name: 'hello_world', language: { code: 'en_US' } };
    const sent = sentOf({ type: 'template', template, product_policy: 'STRICT', message_activity_sharing: false });
    const response = await post(`/${world.phoneNumberId}/marketing_messages`, sent);
    expect([response.statusCode, response.json().error.code]).toEqual([400, 100]);
  });
});

describe('Meta’s own examples of files', () => {
  it.each([
    ['Upload Audio', 'audio/ogg'],
    ['Upload Image', 'image/jpeg'],
    // Meta's example has `type=webp`, which is not a media type; curl sends it unchanged.
    ['Upload Sticker', 'image/webp'],
  ] satisfies [string, FileType][])('%s', async (_name, type) => {
    const { payload, headers } = buildForm(
      { bytes: buildFile(type), type, filename: 'file' },
      { name: 'messaging_product', value: 'whatsapp' },
    );
    const { heliograph, token, phoneNumberId } = world;
    const response = await heliograph.app.inject({
      method: 'POST',
      url: `/graph/v23.0/${phoneNumberId}/media`,
      headers: { ...headers, authorization: `Bearer ${token}` },
      payload,
    });
    expect([response.statusCode, response.json()]).toEqual([200, { id: expect.any(String) }]);
    const deleted = await callGraph(heliograph, world.channel, 'DELETE', `/${response.json().id}`);
    expect(deleted.json()).toEqual({ success: true });
  });
});

describe('Meta’s own examples of templates', () => {
  it.each(Object.entries(DRAFTS))('%s', async (_name, draft) => {
    const response = await post(`/${world.businessAccountId}/message_templates`, draft);
    expect(response.statusCode, response.body).toBe(200);
    const { name, category } = draft;
    expect(response.json()).toEqual({ id: expect.stringMatching(/^\d+$/), status: 'PENDING', category });
    const atMeta = world.stub.templates.find((each) => each.name === name);
    const upper = draft.components.map((each) => ({ ...each, type: String(each.type).toUpperCase() }));
    expect(atMeta).toMatchObject({ name, category, language: 'en_US', components: upper });
    const list = `/${world.businessAccountId}/message_templates?name=${name}`;
    const listed = await callGraph(world.heliograph, world.channel, 'GET', list);
    expect(listed.json()).toMatchObject({
      data: [{ id: response.json().id, name, category, language: 'en_US', status: 'PENDING' }],
      paging: { cursors: { before: expect.any(String), after: expect.any(String) } },
    });
    const deleted = await callGraph(world.heliograph, world.channel, 'DELETE', list);
    expect(deleted.json()).toEqual({ success: true });
  });

  it("include a template that Meta has already, refused with Meta's code and texts", async () => {
    world.stub.templates.push({
      id: '77',
      name: 'known',
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      components: [],
    });
    const draft = {
      name: 'known',
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello' }],
    };
    const response = await post(`/${world.businessAccountId}/message_templates`, draft);
    expect([response.statusCode, response.json().error]).toMatchObject([
      400,
      { code: 100, error_data: { details: expect.stringContaining('already content in this language') } },
    ]);
  });
});
