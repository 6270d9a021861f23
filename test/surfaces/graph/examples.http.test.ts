import { beforeAll, describe, expect, it } from 'vitest';
import { callGraph } from '../../support/graph-calls.js';
import { buildForm } from '../../support/media/calls.js';
import { buildFile, type FileType } from '../../support/media/files.js';
import { normalizeMessage } from '../../support/normalize-message.js';
import { ADA, addTemplateAtMeta, graphSuite } from './graph-suite.js';
import { MESSAGES, TEMPLATES } from './meta-examples.js';
import { DRAFTS } from './meta-template-examples.js';

const suite = graphSuite();
const post = (path: string, body: object) => callGraph(suite.heliograph, suite.channel, 'POST', path, body);

beforeAll(async () => {
  for (const template of TEMPLATES) await addTemplateAtMeta(suite, template);
});

/** Addresses an example to Ada, and replaces `INBOUND` with the ID of Ada's message. */
function toMessage(example: object): Record<string, unknown> {
  const text = JSON.stringify({ messaging_product: 'whatsapp', to: ADA, ...example });
  return JSON.parse(text.replaceAll('"INBOUND"', JSON.stringify(suite.inboundId))) as Record<string, unknown>;
}

describe('Meta’s example messages', () => {
  it.each(Object.entries(MESSAGES))('are accepted: %s', async (_name, example) => {
    const message = toMessage(example);
    const response = await post(`/${suite.phoneNumberId}/messages`, message);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: ADA, wa_id: ADA }],
      messages: [{ id: expect.stringMatching(/^wamid\.[0-9A-F]{32}$/), message_status: 'accepted' }],
    });
    expect(normalizeMessage(suite.stub.accepted.at(-1)?.body ?? {})).toEqual(normalizeMessage(message));
  });

  it('are accepted for the typing indicator and read receipt', async () => {
    const { inboundId: message_id, phoneNumberId } = suite;
    const readReceipt = {
      messaging_product: 'whatsapp',
      status: 'read',
      message_id,
      typing_indicator: { type: 'text' },
    };
    const response = await post(`/${phoneNumberId}/messages`, readReceipt);
    expect([response.statusCode, response.json()]).toEqual([200, { success: true }]);
    expect(suite.stub.readReceipts.at(-1)).toEqual(readReceipt);
  });

  it('are refused for Sample Issue Resolution Template, which has booleans where Meta documents text', async () => {
    const buttonComponent = {
      type: 'button',
      sub_type: 'quick_reply',
      index: 0,
      parameters: [{ type: 'text', text: true }],
    };
    const template = { name: 'issue_resolution', language: { code: 'en_US' }, components: [buttonComponent] };
    const response = await post(`/${suite.phoneNumberId}/messages`, toMessage({ type: 'template', template }));
    expect([response.statusCode, response.json().error]).toMatchObject([
      400,
      { code: 131009, error_data: { details: 'template.components[0].parameters[0].text must be a string' } },
    ]);
  });

  it('are refused for the Marketing Messages API, which has other paths', async () => {
    const template = { name: 'hello_world', language: { code: 'en_US' } };
    const message = toMessage({
      type: 'template',
      template,
      product_policy: 'STRICT',
      message_activity_sharing: false,
    });
    const response = await post(`/${suite.phoneNumberId}/marketing_messages`, message);
    expect([response.statusCode, response.json().error.code]).toEqual([400, 100]);
  });
});

describe('Meta’s example files', () => {
  it.each([
    ['Upload Audio', 'audio/ogg'],
    ['Upload Image', 'image/jpeg'],
    // Meta's example has `type=webp`, which curl sends unchanged although it is not a media type.
    ['Upload Sticker', 'image/webp'],
  ] satisfies [string, FileType][])('are accepted: %s', async (_name, type) => {
    const { payload, headers } = buildForm(
      { bytes: buildFile(type), type, filename: 'file' },
      { name: 'messaging_product', value: 'whatsapp' },
    );
    const { heliograph, token, phoneNumberId } = suite;
    const response = await heliograph.app.inject({
      method: 'POST',
      url: `/graph/v23.0/${phoneNumberId}/media`,
      headers: { ...headers, authorization: `Bearer ${token}` },
      payload,
    });
    expect([response.statusCode, response.json()]).toEqual([200, { id: expect.any(String) }]);
    const deleteResponse = await callGraph(heliograph, suite.channel, 'DELETE', `/${response.json().id}`);
    expect(deleteResponse.json()).toEqual({ success: true });
  });
});

describe('Meta’s example templates', () => {
  it.each(Object.entries(DRAFTS))('are accepted: %s', async (_name, draft) => {
    const response = await post(`/${suite.businessAccountId}/message_templates`, draft);
    expect(response.statusCode, response.body).toBe(200);
    const { name, category } = draft;
    expect(response.json()).toEqual({ id: expect.stringMatching(/^\d+$/), status: 'PENDING', category });
    const templateAtMeta = suite.stub.templates.find((template) => template.name === name);
    const upperCaseComponents = draft.components.map((component) => ({
      ...component,
      type: String(component.type).toUpperCase(),
    }));
    expect(templateAtMeta).toMatchObject({ name, category, language: 'en_US', components: upperCaseComponents });
    const listPath = `/${suite.businessAccountId}/message_templates?name=${name}`;
    const listResponse = await callGraph(suite.heliograph, suite.channel, 'GET', listPath);
    expect(listResponse.json()).toMatchObject({
      data: [{ id: response.json().id, name, category, language: 'en_US', status: 'PENDING' }],
      paging: { cursors: { before: expect.any(String), after: expect.any(String) } },
    });
    const deleteResponse = await callGraph(suite.heliograph, suite.channel, 'DELETE', listPath);
    expect(deleteResponse.json()).toEqual({ success: true });
  });

  it("are refused with Meta's error if Meta already has the template", async () => {
    suite.stub.templates.push({
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
    const response = await post(`/${suite.businessAccountId}/message_templates`, draft);
    expect([response.statusCode, response.json().error]).toMatchObject([
      400,
      { code: 100, error_data: { details: expect.stringContaining('already content in this language') } },
    ]);
  });
});
