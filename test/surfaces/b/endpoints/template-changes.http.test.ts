import { beforeEach, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../../src/carriers/carrier.js';
import { CarrierError } from '../../../../src/carriers/carrier-error.js';
import { vendorCode } from '../../../../src/carriers/failure-codes.js';
import { deleteTemplate, editTemplate } from '../../../../src/features/templates/edit-and-delete.js';
import { newId } from '../../../../src/platform/ids.js';
import { call } from '../../../support/channel-calls.js';
import { addTemplate } from '../../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { sharedApp } from '../../../support/suite.js';

const BODY = { type: 'BODY', text: 'Your order {{1}} leaves today.', example: { body_text: [['A-1']] } };

const test = sharedApp({ role: 'api' });
let channel: TestChannel;
let id: string;

const request = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) => {
  const response = await call(test, channel, method, `/templates${url}`, payload);
  return { status: response.statusCode, body: response.json() };
};
const listTemplates = async () => (await request('GET', '')).body.data;

beforeEach(async () => {
  channel = await createTestChannel(test.deps);
  id = await addTemplate(test, channel, { name: 'order' });
});

describe('PUT /api/v1/templates/:id', () => {
  it('changes the components of a template and submits it for review', async () => {
    const { status, body } = await request('PUT', `/${id}`, { components: [BODY] });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id,
      name: 'order',
      quality: null,
      language: 'en_US',
      category: 'UTILITY',
      status: 'PENDING',
      components: [BODY],
    });
    expect(await listTemplates()).toEqual([body.data]);
    const repeatedResponse = await request('PUT', `/${id}`, { components: [BODY] });
    expect(repeatedResponse.status).toBe(409);
    expect(repeatedResponse.body.error.message).toMatch(/is PENDING/);

    await request('POST', '/sync');
    const send = { to: '15005550111', templateName: 'order', language: 'en_US', components: [] };
    expect((await call(test, channel, 'POST', '/messages/template', send)).json().error.message).toMatch(/\{\{1\}\}/);
  });

  it.each([
    ['components', {}],
    ['components[0].text', { components: [{ ...BODY, text: '{{1}} leaves.' }] }],
    ['category', { components: [BODY], category: 'MARKETING' }],
    ['category', { components: [BODY], category: 'SPAM' }],
    ['name', { components: [BODY], name: 'other' }],
    ['language', { components: [BODY], language: 'de' }],
  ])('refuses an invalid %s: %j', async (field, change) => {
    const { status, body } = await request('PUT', `/${id}`, change);
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject([{ field }]);
    expect(await listTemplates()).toMatchObject([{ status: 'APPROVED' }]);
  });

  it('accepts an unchanged name and language, and another category for a rejected template', async () => {
    id = await addTemplate(test, channel, { name: 'offer', status: 'REJECTED' });
    const change = { name: 'offer', language: 'en_US', category: 'MARKETING', components: [BODY] };
    expect((await request('PUT', `/${id}`, change)).body.data).toMatchObject({ ...change, status: 'PENDING' });
  });
});

describe('DELETE /api/v1/templates/:id', () => {
  it('deletes one language of a template, once', async () => {
    const germanId = await addTemplate(test, channel, { name: 'order', language: 'de' });
    const { status, body } = await request('DELETE', `/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, data: { message: 'The template was deleted.' } });
    expect(await listTemplates()).toMatchObject([{ id: germanId }]);
    expect((await request('DELETE', `/${id}`)).status).toBe(404);
    const sameTemplate = { name: 'order', language: 'en_US', category: 'UTILITY', components: [BODY] };
    expect((await request('POST', '', sameTemplate)).status).toBe(200);
  });
});

it.each(['unknown', newId()])(
  'PUT and DELETE of a template return 404 for %s, and for a template of another channel',
  async (unknownId) => {
    expect((await request('PUT', `/${unknownId}`, { components: [BODY] })).status).toBe(404);
    expect((await request('DELETE', `/${unknownId}`)).status).toBe(404);
    channel = await createTestChannel(test.deps, channel.account);
    expect((await request('PUT', `/${id}`, { components: [BODY] })).status).toBe(404);
    expect((await request('DELETE', `/${id}`)).status).toBe(404);
  },
);

it('a template stays unchanged if the carrier refuses the change or does not support templates', async () => {
  const refuse = () => Promise.reject(CarrierError.refused(vendorCode('POLICY'), 'It was edited today already.'));
  const metaChannel = {
    id: channel.channelId,
    kind: 'whatsapp',
    phoneNumber: channel.phoneNumber,
    carrier: 'real',
  } as const;
  const channelWithAccount = { ...metaChannel, carrierSettings: null, accountId: channel.account.id };
  for (const [carrier, message] of [
    [{ editTemplate: refuse, deleteTemplate: refuse }, 'It was edited today already.'],
    [{}, 'The carrier of the channel has no templates.'],
  ] as const) {
    const options = {
      ...test.deps,
      carriers: { get: () => carrier as unknown as Carrier },
      webhookAllowPrivate: false,
      ...test.deps.media,
    };
    const expectedError = { code: 'CARRIER_REFUSED', message };
    const [templateBefore] = await listTemplates();
    await expect(editTemplate(options, channelWithAccount, id, { components: [BODY] })).rejects.toMatchObject(
      expectedError,
    );
    await expect(editTemplate(options, channelWithAccount, id, { components: [BODY] }, () => {})).rejects.toMatchObject(
      expectedError,
    );
    // The template keeps its version, so that the author can correct the template and save it again.
    expect(await listTemplates()).toEqual([templateBefore]);
    await expect(deleteTemplate(options, channelWithAccount, id)).rejects.toMatchObject(expectedError);
  }
  expect(await listTemplates()).toMatchObject([{ id, status: 'APPROVED', components: [{ text: 'Hello' }] }]);
});
