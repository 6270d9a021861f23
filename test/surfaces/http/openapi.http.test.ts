import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../../src/platform/errors/app-error.js';
import { META_CODES } from '../../../src/surfaces/graph/meta-codes.js';
import { TWILIO_CODES } from '../../../src/surfaces/twilio/twilio-codes.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { withinWindow } from '../../support/within-window.js';
import { NUMBER, post } from '../a/requests.js';

interface Operation {
  description?: string;
  security?: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: Content;
  responses: Record<string, (Content & { description: string }) | Reference>;
}
interface Reference {
  $ref: string;
}
interface Content {
  headers?: Record<string, Reference>;
  content: { 'application/json': { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> } };
}
type Schema = Record<string, unknown> & {
  properties: Record<string, Record<string, unknown>>;
  required?: string[];
};

const heliograph = suiteApp();
let document: {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Content> };
};

beforeAll(async () => {
  document = (await heliograph.app.inject({ method: 'GET', url: '/openapi.json' })).json();
});

const findOperation = (method: string, path: string) => document.paths[path]?.[method] as Operation;
const resolveReference = (responseOrReference: Content | Reference): Content =>
  '$ref' in responseOrReference
    ? (document.components.responses[responseOrReference.$ref.split('/').at(-1) as string] as Content)
    : responseOrReference;
const listExamples = ({ content }: Content) => {
  const { example, examples = {} } = content['application/json'];
  return [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
};
const isTwilio = (path: string) => /^\/(?:2010-04-01|v2\/Services)\//.test(path);
const getExpectedSecurity = (path: string, description = '') => {
  if (path.startsWith('/health') || description.includes('Requires no session.')) return [];
  if (path.startsWith('/admin/v1')) return [{ session: [] }];
  if (isTwilio(path)) return [{ accountSid: [] }];
  if (path.startsWith('/graph/')) return [{ channelToken: [] }, { accessToken: [] }];
  if (/^\/v\d/.test(path)) return [{ bearer: [] }];
  const otherSchemes = { apiSecret: [], channelId: [] };
  return [
    { apiKey: [], ...otherSchemes },
    { bearerApiKey: [], ...otherSchemes },
  ];
};
const getBodySchema = (operation: Operation) => operation.requestBody?.content['application/json'].schema as Schema;
/** Only JSON bodies can have null fields, unlike forms with a file. */
const isJson = (body?: Content) => body !== undefined && 'application/json' in body.content;

describe('GET /openapi.json', () => {
  it('is OpenAPI 3.1 and contains every route of Surface A and the health checks', () => {
    expect(document.openapi).toBe('3.1.0');
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const contractRoutes = [
      'get /health/live',
      'get /health/ready',
      'get /v1.0/account/balance',
      'get /v1.0/sms/status/{message_id}',
      'post /v1.0/sms/send',
      'post /v2/send',
    ];
    expect(routes).toEqual(expect.arrayContaining(contractRoutes));
    const documentedRoutes = routes.map(
      (route) => route.replaceAll(/\{(\w+)\}/g, ':$1').split(' ') as [string, string],
    );
    for (const [method, url] of documentedRoutes) {
      expect(heliograph.app.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${url}`).toBe(true);
    }
  });

  it('documents how each operation is authenticated', () => {
    expect(document.components).toMatchObject({ securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } });
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const operation of Object.values(methods)) {
        expect(operation.security, path).toEqual(getExpectedSecurity(path, operation.description));
      }
    }
  });

  it.each([
    [
      'post',
      '/v1.0/sms/send',
      ['200', '400', '401', '402', '403', '408', '409', '413', '415', '417', '422', '429', '431', '500', '501', '503'],
    ],
    [
      'post',
      '/v2/send',
      ['200', '400', '401', '402', '403', '408', '409', '413', '415', '417', '422', '429', '431', '500', '501', '503'],
    ],
    [
      'get',
      '/v1.0/sms/status/{message_id}',
      ['200', '400', '401', '403', '404', '408', '417', '429', '431', '500', '501', '503'],
    ],
    ['get', '/v1.0/account/balance', ['200', '400', '401', '403', '408', '417', '429', '431', '500', '501', '503']],
  ])('documents every response of %s %s', (method, path, statuses) => {
    expect(Object.keys(findOperation(method, path).responses).sort()).toEqual(statuses);
  });

  it('documents Idempotency-Key on exactly the operations that send', () => {
    const headerParameters = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap((operation) => (operation.parameters ?? []).map(({ name }) => `${path} ${name}`)),
    );
    expect(headerParameters.filter((parameter) => parameter.endsWith('Idempotency-Key')).sort()).toEqual([
      '/2010-04-01/Accounts/{AccountSid}/Messages.json Idempotency-Key',
      '/api/v1/automations/{id}/trigger Idempotency-Key',
      '/api/v1/campaigns Idempotency-Key',
      '/api/v1/campaigns/{id}/test Idempotency-Key',
      '/api/v1/consents/requests Idempotency-Key',
      '/api/v1/media Idempotency-Key',
      '/api/v1/messages/reply Idempotency-Key',
      '/api/v1/messages/send Idempotency-Key',
      '/api/v1/messages/template Idempotency-Key',
      '/graph/{version}/{phoneNumberId}/media Idempotency-Key',
      '/graph/{version}/{phoneNumberId}/messages Idempotency-Key',
      '/v1.0/sms/send Idempotency-Key',
      '/v2/Services/{ServiceSid}/Verifications Idempotency-Key',
      '/v2/send Idempotency-Key',
      '/v2/verifications Idempotency-Key',
    ]);
  });

  it('documents the limits that are validated', () => {
    expect(getBodySchema(findOperation('post', '/v1.0/sms/send')).properties.message).toMatchObject({
      minLength: 1,
      maxLength: 1600,
    });
    const { priority, channel, from } = getBodySchema(findOperation('post', '/v2/send')).properties;
    expect(priority).toMatchObject({ type: ['integer', 'null'], minimum: 0, maximum: 3, default: 0 });
    expect(channel).toMatchObject({ enum: ['sms', 'whatsapp', null] });
    expect(from).toMatchObject({ maxLength: 18 });
  });

  it('contains schemas valid in JSON Schema 2020-12, and examples that match them', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const operation of Object.values(methods)) {
        const isRedirect = ([status]: [string, unknown]) => status.startsWith('3');
        const responses = Object.entries(operation.responses);
        // Redirects have no content.
        for (const [, redirect] of responses.filter(isRedirect)) expect(redirect).not.toHaveProperty('content');
        const jsonResponses = responses
          .filter((entry) => !isRedirect(entry) && entry[0] !== '204')
          .map(([, response]) => resolveReference(response));
        for (const part of [...jsonResponses, ...(operation.requestBody ? [operation.requestBody] : [])]) {
          if (path.startsWith('/health') && !part.content) continue;
          const json = part.content['application/json'];
          if (!json) {
            expect([
              'text/csv',
              'text/event-stream',
              'multipart/form-data',
              'application/x-www-form-urlencoded',
              'application/octet-stream',
              '*/*',
            ]).toContain(Object.keys(part.content).join());
            continue;
          }
          const validate = ajv.compile(json.schema);
          for (const example of listExamples(part)) expect(validate(example), JSON.stringify(example)).toBe(true);
        }
      }
    }
  });

  it('has an example with the correct status for every error', () => {
    for (const [path, methods] of Object.entries(document.paths).filter(
      ([documentedPath]) => !documentedPath.startsWith('/health'),
    )) {
      for (const { responses } of Object.values(methods)) {
        for (const [status, response] of Object.entries(responses).filter(
          ([documentedStatus]) => Number(documentedStatus) >= 400,
        )) {
          const [example] = listExamples(resolveReference(response)) as {
            code?: unknown;
            error?: { code: ErrorCode };
          }[];
          if (isTwilio(path)) {
            expect(Object.keys(TWILIO_CODES), `${path} ${status}`).toContain(String(example?.code));
            continue;
          }
          if (path.startsWith('/graph/')) {
            // Several HTTP statuses share one of Meta's error codes, which the tests of Meta's surface check.
            expect(Object.keys(META_CODES), `${path} ${status}`).toContain(String(example?.error?.code));
            continue;
          }
          const code = example?.error ? ERROR_STATUS[example.error.code] : Number(example?.code);
          // Surface B has no separate error codes for parser errors.
          const expected = example?.error && ['408', '417', '431', '501'].includes(status) ? 400 : Number(status);
          expect(code, `${path} ${status}`).toBe(expected);
        }
      }
    }
  });

  it('lists exactly the response headers that the server sends', async () => {
    const limitedApp = await testApp({ sharesWith: heliograph, settings: { RATE_LIMIT_PER_SECOND: '2' } });
    try {
      const { responses } = findOperation('post', '/v2/send');
      const listDocumentedHeaders = (status: string) =>
        Object.keys(resolveReference(responses[status] as Content).headers ?? {});
      const body = { from: 'Heliograph', to: NUMBER, message: 'x' };
      const key = { 'idempotency-key': 'headers' };
      await withinWindow(async () => {
        const account = await createTestAccount(heliograph.deps);
        const firstResponse = await post(limitedApp.app, '/v2/send', account, body, key);
        expect(firstResponse.statusCode, firstResponse.body).toBe(200);
        const repeatedResponse = await post(limitedApp.app, '/v2/send', account, body, key);
        const refusal = await post(limitedApp.app, '/v2/send', account, body);
        const unauthorizedResponse = await limitedApp.app.inject({ method: 'POST', url: '/v2/send', payload: body });
        for (const { statusCode, headers } of [repeatedResponse, refusal, unauthorizedResponse]) {
          const names = listDocumentedHeaders(String(statusCode));
          expect(names.length).toBeGreaterThan(1);
          for (const name of names) expect(headers, `${statusCode} ${name}`).toHaveProperty([name.toLowerCase()]);
        }
        expect([repeatedResponse, refusal, unauthorizedResponse].map(({ statusCode }) => statusCode)).toEqual([
          200, 429, 401,
        ]);
      });
      expect(listDocumentedHeaders('503')).toContain('Retry-After');
    } finally {
      await limitedApp.close();
    }
  });

  it('allows null in a body exactly where the server does', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let allowedCount = 0;
    for (const [path, methods] of Object.entries(document.paths).filter(([documentedPath]) =>
      /^\/(v\d|api)/.test(documentedPath),
    )) {
      for (const [method, operation] of Object.entries(methods).filter(([, { requestBody }]) => isJson(requestBody))) {
        const schema = getBodySchema(operation);
        const validate = ajv.compile(schema);
        const [example = {}] = listExamples(operation.requestBody as Content) as object[];
        for (const name of Object.keys(schema.properties)) {
          const sendWith = async (value: null | undefined) => {
            const { statusCode, body } = await heliograph.app.inject({
              method: method.toUpperCase() as 'POST',
              url: path.replaceAll(/\{\w+\}/g, '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'),
              headers: {
                ...(path.startsWith('/api') ? channel.headers : channel.account.headers),
                'content-type': 'application/json',
              },
              payload: JSON.stringify({ ...example, [name]: value }),
            });
            return statusCode === 400 ? body : '';
          };
          const withoutField = await sendWith(undefined);
          const withNull = await sendWith(null);
          // If a rule requires an optional field, null is refused like a missing field.
          const isRefused = withNull !== '' && (withNull !== withoutField || schema.required?.includes(name));
          const where = `${method} ${path} ${name}`;
          expect([where, validate({ ...example, [name]: null })]).toEqual([where, !isRefused]);
          if (!isRefused) allowedCount += 1;
        }
      }
    }
    expect(allowedCount).toBeGreaterThan(20);
  });

  it('has examples that the server accepts', async () => {
    const account = await createTestAccount(heliograph.deps);
    for (const path of ['/v1.0/sms/send', '/v2/send']) {
      const examples = listExamples(findOperation('post', path).requestBody as Content) as { from: string }[];
      expect(examples.length).toBeGreaterThan(0);
      for (const example of examples.filter(({ from }) => from === 'Heliograph')) {
        expect((await post(heliograph.app, path, account, example)).statusCode).toBe(200);
      }
    }
  });

  it('matches the real responses', async () => {
    const account = await createTestAccount(heliograph.deps);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const send = findOperation('post', '/v2/send').responses;
    const cases = [
      [{ from: 'Heliograph', to: NUMBER, message: 'x' }, '200'],
      [{}, '400'],
    ] as const;
    for (const [body, status] of cases) {
      const response = await post(heliograph.app, '/v2/send', account, body);
      const schema = resolveReference(send[status] as Content).content['application/json'].schema;
      expect(ajv.validate({ ...schema, additionalProperties: false }, response.json()), status).toBe(true);
    }
  });
});

describe('GET /reference', () => {
  const page = (url: string) => heliograph.app.inject({ method: 'GET', url });

  it('redirects to a page that loads only local files', async () => {
    expect((await page('/reference')).headers.location).toBe('/reference/');
    const { statusCode, body, headers } = await page('/reference/');
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/html/);
    const loadedUrls = [...body.matchAll(/(?:src|href|url"?:)\s*=?\s*"([^"]+)"/gi)].map(
      ([, target]) => target as string,
    );
    expect(loadedUrls).toEqual(['js/scalar.js', './openapi.json']);
    for (const target of loadedUrls)
      expect((await page(new URL(target, 'http://x/reference/').pathname)).statusCode).toBe(200);
    expect(body).not.toMatch(/https?:\/\//);
  });

  it('has a Content-Security-Policy that allows only its own scripts and this server', async () => {
    const { headers, body } = await page('/reference/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|script-src[^;]*unsafe/);
    const scripts = [...body.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script]) => script as string);
    const inlineScripts = scripts.filter((script) => script !== '');
    expect(inlineScripts).toHaveLength(1);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(inlineScripts[0]));
    expect(policy).toContain(`'sha256-${Buffer.from(digest).toString('base64')}'`);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-dns-prefetch-control': 'off' });
  });

  it('shows the document of /openapi.json', async () => {
    expect((await page('/reference/openapi.json')).json().paths).toEqual(document.paths);
  });
});

describe('headers of every response', () => {
  it.each(['/health/live', '/v1.0/account/balance', '/nothing', '/openapi.json'])('are sent for %s', async (url) => {
    const { headers } = await heliograph.app.inject({ method: 'GET', url });
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': expect.any(String),
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });
});

describe('CORS_ORIGIN', () => {
  it('allows the configured origins, including preflight, and no others', async () => {
    const corsApp = await testApp({
      sharesWith: heliograph,
      settings: { CORS_ORIGIN: 'https://a.example,https://b.example' },
    });
    try {
      const sendPreflight = async (origin: string, url = '/v2/send') => {
        const headers = {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization',
        };
        return (await corsApp.app.inject({ method: 'OPTIONS', url, headers })).headers;
      };
      const allowOrigin = 'access-control-allow-origin';
      expect(await sendPreflight('https://b.example')).toMatchObject({ [allowOrigin]: 'https://b.example' });
      expect((await sendPreflight('https://c.example'))[allowOrigin]).toBeUndefined();
      const getAllowedMethods = async (url: string) =>
        String((await sendPreflight('https://a.example', url))['access-control-allow-methods']).split(', ');
      for (const url of ['/api/v1/contacts/x', '/v2/webhooks/x']) {
        expect(await getAllowedMethods(url)).toEqual(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);
      }
      expect(await getAllowedMethods('/v1.0/sms/send')).toEqual(['GET', 'HEAD', 'POST']);
    } finally {
      await corsApp.close();
    }
  });
});
