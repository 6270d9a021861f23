import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { giveBelongings } from './belongings.js';
import { askSecured } from './secured-request.js';
import { SECURED_ROUTES } from './security-table.js';

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  requestBody?: { required: boolean };
  responses: Record<string, Answer | { $ref: string }>;
}
interface Answer {
  content: { 'application/json': { schema: object } };
}
interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { securitySchemes: Record<string, object>; responses: Record<string, Answer> };
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
  const named = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const field of ['operationId', 'summary'] as const) {
    const texts = named.map((each) => each[field]);
    expect(texts).not.toContain(undefined);
    const descriptions =
      field === 'summary' ? named.map(({ tags, summary }) => `${tags?.includes('Console')} ${summary}`) : texts;
    expect(new Set(descriptions).size, field).toBe(descriptions.length);
  }
});

describe.each(SECURED_ROUTES)('$route in the OpenAPI document', (secured) => {
  const { route, scope, body, form, answersFile } = secured;
  const operation = () => {
    const [method = '', path = ''] = route.split(' ');
    return document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] as Operation;
  };
  const admits = (status: number, answer: unknown) => {
    const response = operation().responses[status] as Answer | { $ref: string };
    const { content } =
      '$ref' in response ? (document.components.responses[response.$ref.split('/').at(-1) ?? ''] as Answer) : response;
    return ajv.validate(content['application/json'].schema, answer);
  };

  it('has a tag, its scope, and every possible answer', () => {
    const { tags, description, responses, requestBody } = operation();
    expect(document.tags.map(({ name }) => name)).toContain(tags?.[0]);
    expect(description).toContain(`Requires the scope \`${scope}\`.`);
    const expected = ['200', '400', '401', '403', '429', '500', '503'];
    if (route.includes('/:')) expected.push('404');
    if (!route.startsWith('GET ')) expected.push('413', '415');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected));
    expect(Boolean(requestBody)).toBe(Boolean(body ?? form));
  });

  it('describes its real answers', async () => {
    // A new channel, because some resources are limited per channel.
    const owner = await createTestChannel(heliograph.deps);
    const own = await giveBelongings(heliograph.deps, owner);
    const request = { path: own, body: body?.(own) };
    // If the body is optional, a request without it is answered, otherwise refused.
    const { requestBody } = operation();
    if (requestBody && !form) {
      const bare = await askSecured(heliograph, secured, { ...request, body: undefined, headers: owner.headers });
      expect(bare.statusCode, bare.body).toBe(requestBody.required ? 400 : 200);
    }
    const success = await askSecured(heliograph, secured, { ...request, headers: owner.headers });
    expect(success.statusCode, success.body).toBe(200);
    if (answersFile) expect(operation().responses[200]).toHaveProperty(['content', '*/*']);
    else expect(admits(200, success.json()), JSON.stringify(ajv.errors)).toBe(true);
    const refused = await askSecured(heliograph, secured, { ...request, headers: {} });
    expect(admits(401, refused.json()), JSON.stringify(ajv.errors)).toBe(true);
  });
});
