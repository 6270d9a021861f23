/* When Meta refuses a template, it explains the reason to end users in `error_user_title` and `error_user_msg`. */
import { describe, expect, it } from 'vitest';
import { readMetaError, toRefusal } from '../../../src/carriers/whatsapp-cloud/send/errors.js';
import { MetaRefusal } from '../../support/carriers/cloud-api/meta-error.js';
import { call } from '../../support/channel-calls.js';
import { callGraph } from '../../support/graph-calls.js';
import { suiteMeta } from './meta-channel.js';

const TITLE = 'Content in this language already exists';
const TEXT = 'There is already English (US) content for this template. You can create a new template and try again.';
const { stub, heliograph, channel } = suiteMeta();

function refuseTemplates(explanation: { error_user_title?: string; error_user_msg?: string }) {
  const refusal = new MetaRefusal(100, 'Invalid parameter', { subcode: 2388024 });
  Object.assign((refusal.body as { error: object }).error, explanation);
  const original = stub.templates.some.bind(stub.templates);
  stub.templates.some = () => {
    stub.templates.some = original;
    throw refusal;
  };
}
const draft = {
  ...{ name: 'hello', language: 'en_US', category: 'UTILITY' },
  components: [{ type: 'BODY', text: 'Hello, how are you?' }],
};

describe('template refusals', () => {
  it('Meta’s refusal of a template is shown on Surface B with Meta’s explanation', async () => {
    refuseTemplates({ error_user_title: TITLE, error_user_msg: TEXT });
    const response = await call(heliograph, channel, 'POST', '/templates', draft);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toContain(TITLE);
    expect(response.json().error.message).toContain(TEXT);
  });

  it('Meta’s refusal of a template is shown under /graph with Meta’s title and text as fields', async () => {
    refuseTemplates({ error_user_title: TITLE, error_user_msg: TEXT });
    const path = `/${stub.businessAccountId}/message_templates`;
    const response = await callGraph(heliograph, channel, 'POST', path, draft);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: 100, error_user_title: TITLE, error_user_msg: TEXT });
    expect(response.json().error.error_data.details).toContain(TEXT);
  });

  it.each([
    [{ error_user_title: TITLE }, `(#100) Invalid parameter (${TITLE})`],
    [{ error_user_msg: TEXT }, `(#100) Invalid parameter (${TEXT})`],
    [{ error_user_title: '', error_user_msg: '' }, '(#100) Invalid parameter'],
    [{ error_data: { details: 'x' }, error_user_msg: TEXT }, `(#100) Invalid parameter (x; ${TEXT})`],
  ])('Meta’s refusal of a template is combined with the error message: %j', (explanation, text) => {
    const body = { error: { code: 100, message: '(#100) Invalid parameter', ...explanation } };
    expect(readMetaError({ body })?.text).toBe(text);
  });

  it('Meta’s refusal of a template accepts an error code as text, and never quotes the token', () => {
    const error = { code: '190', message: 'Malformed access token SECRET', error_user_msg: 'SECRET' };
    const { scope, error: refused } = toRefusal({ status: 401, headers: {}, body: { error } });
    expect([scope, refused.code, refused.retryable]).toEqual(['token', '190', true]);
    expect(JSON.stringify([refused.message, refused.carrierExplanation])).not.toContain('SECRET');
  });
});
