import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { createChannelResources } from './channel-resources.js';
import { sendSecuredRequest } from './secured-request.js';
import { SECURED_ROUTES } from './security-table.js';

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  requestBody?: { required: boolean };
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}
interface DocumentedResponse {
  content: { 'application/json': { schema: object } };
}
interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, object>; responses: Record<string, DocumentedResponse> };
}

const heliograph = suiteApp({ role: 'api', settings: { SEND_WAIT_MS: '1' } });
let document: Document;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

beforeAll(async () => {
  document = (await heliograph.app.inject({ url: '/openapi.json' })).json();
});

it('the three headers of Surface B are security schemes', () => {
  expect(document.components.securitySchemes).toMatchObject({
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    apiSecret: { type: 'apiKey', in: 'header', name: 'X-API-Secret' },
    channelId: { type: 'apiKey', in: 'header', name: 'X-Channel-Id' },
  });
});

it('every operation has an ID and, within the API or the console, a unique summary', () => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const field of ['operationId', 'summary'] as const) {
    const texts = operations.map((operation) => operation[field]);
    expect(texts).not.toContain(undefined);
    const descriptions =
      field === 'summary' ? operations.map(({ tags, summary }) => `${tags?.includes('Console')} ${summary}`) : texts;
    expect(new Set(descriptions).size, field).toBe(descriptions.length);
  }
});

describe.each(SECURED_ROUTES)('$route in the OpenAPI document', (securedRoute) => {
  const { route, scope, body, form, answersFile } = securedRoute;
  const findOperation = () => {
    const [method = '', path = ''] = route.split(' ');
    return document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] as Operation;
  };
  const isValid = (status: number, responseBody: unknown) => {
    const response = findOperation().responses[status] as DocumentedResponse | { $ref: string };
    const { content } =
      '$ref' in response
        ? (document.components.responses[response.$ref.split('/').at(-1) ?? ''] as DocumentedResponse)
        : response;
    return ajv.validate(content['application/json'].schema, responseBody);
  };

  it('has a tag, its scope, and every possible response', () => {
    const { tags, description, responses, requestBody } = findOperation();
    expect(document.tags.map(({ name }) => name)).toContain(tags?.[0]);
    expect(description).toContain(`Requires the scope \`${scope}\`.`);
    const expected = ['200', '400', '401', '403', '429', '500', '503'];
    if (route.includes('/:')) expected.push('404');
    if (!route.startsWith('GET ')) expected.push('413', '415');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected));
    expect(Boolean(requestBody)).toBe(Boolean(body ?? form));
  });

  it('matches the real responses', async () => {
    // The test uses a new channel, because some resources are limited per channel.
    const owner = await createTestChannel(heliograph.deps);
    const ownerResources = await createChannelResources(heliograph.deps, owner);
    const request = { path: ownerResources, body: body?.(ownerResources) };
    // A request without a body succeeds only if the body is optional.
    const { requestBody } = findOperation();
    if (requestBody && !form) {
      const responseWithoutBody = await sendSecuredRequest(heliograph, securedRoute, {
        ...request,
        body: undefined,
        headers: owner.headers,
      });
      expect(responseWithoutBody.statusCode, responseWithoutBody.body).toBe(requestBody.required ? 400 : 200);
    }
    const success = await sendSecuredRequest(heliograph, securedRoute, { ...request, headers: owner.headers });
    expect(success.statusCode, success.body).toBe(200);
    if (answersFile) {
      const mediaType = answersFile.startsWith('text/csv') ? 'text/csv' : '*/*';
      expect(findOperation().responses[200]).toHaveProperty(['content', mediaType]);
    } else expect(isValid(200, success.json()), JSON.stringify(ajv.errors)).toBe(true);
    const refusal = await sendSecuredRequest(heliograph, securedRoute, { ...request, headers: {} });
    expect(isValid(401, refusal.json()), JSON.stringify(ajv.errors)).toBe(true);
  });
});
