import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { buildEnvFile } from '../../console/src/pages/api-keys/env-file.js';
import { buildCredentialHeaders, buildRequest, newRequestDraft } from '../../console/src/pages/playground/draft.js';
import {
  listOperations,
  type OpenApiDocument,
  type Operation,
  searchOperations,
} from '../../console/src/pages/playground/operations.js';
import { buildSnippet } from '../../console/src/pages/playground/snippets.js';
import { readBuiltOpenApi } from '../support/openapi-document.js';

const document = readBuiltOpenApi<OpenApiDocument>();
const operations = listOperations(document);
const findOperation = (id: string) => operations.find((operation) => operation.id === id) as Operation;

describe('operations of the playground', () => {
  it('the playground lists all operations of both surfaces and none of the console', () => {
    const expected = Object.entries(document.paths)
      .filter(([path]) => /^\/(?:v1\.0|v2|api\/v1)\//.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(60);
  });

  it('nullable fields are treated like optional fields', () => {
    const { priority, preview_url } = findOperation('send').body?.schema.properties ?? {};
    expect([priority?.type, preview_url?.type]).toEqual(['integer', 'boolean']);
  });

  it('operations are found by words of their method, path and name', () => {
    const matches = searchOperations(operations, 'POST  campaigns cancel').map(({ id }) => id);
    expect(matches).toEqual(['cancelCampaign']);
    expect(searchOperations(operations, '')).toHaveLength(operations.length);
    expect(searchOperations(operations, 'no such thing')).toEqual([]);
  });

  it('every operation with a body has an example with all required fields', () => {
    for (const { id, body } of operations.filter((operation) => operation.body)) {
      const example = body?.example as Record<string, unknown>;
      for (const name of body?.schema.required ?? []) expect(example, `${id} without ${name}`).toHaveProperty(name);
    }
    expect(JSON.parse(newRequestDraft(findOperation('send')).body ?? '')).toEqual({
      to: '14155550123',
      from: 'Acme',
      message: 'Hello',
    });
  });
});

describe('requests of the playground', () => {
  it('a request has its path filled in, empty parameters omitted and the surface’s credential headers', () => {
    const request = buildRequest(findOperation('listConversationMessages'), {
      parameters: { id: 'a/b', limit: '5', offset: '' },
      body: null,
    });
    expect(request).toEqual({
      method: 'GET',
      path: '/api/v1/conversations/a%2Fb/messages?limit=5',
      headers: {},
      body: null,
    });
    const credentials = { key: 'k', secret: 's', channelId: 'c' };
    expect(buildCredentialHeaders('a', credentials)).toEqual({ Authorization: 'Bearer k' });
    expect(buildCredentialHeaders('b', credentials)).toEqual({
      'X-API-Key': 'k',
      'X-API-Secret': 's',
      'X-Channel-Id': 'c',
    });
  });

  const body = JSON.stringify({ to: '15005550111', from: 'Shop', message: `It's "quoted", $HOME \\ and\nbroken` });
  const sendRequest = buildRequest(findOperation('send'), { parameters: { 'Idempotency-Key': "o'clock" }, body });
  const environment = { ...process.env, HELIOGRAPH_KEY: 'secret-key' };

  it('the curl code sample sends the same request', () => {
    const program = buildSnippet('curl', 'a', 'http://localhost:1', sendRequest).replace(/^curl/, 'printf "%s\\n" _');
    const { stdout } = spawnSync('sh', ['-c', program], { encoding: 'utf8', env: environment });
    expect(stdout).toContain('http://localhost:1/v2/send\n');
    expect(stdout).toContain('Authorization: Bearer secret-key\n');
    expect(stdout).toContain("Idempotency-Key: o'clock\n");
    expect(stdout).toContain(`-d\n${body}\n`);
  });

  it('the JavaScript code sample sends the same request', () => {
    const program = buildSnippet('JavaScript', 'a', 'http://localhost:1', sendRequest);
    const stub = 'globalThis.fetch = async (url, init) => ({ status: 200, json: async () => ({ url, init }) });';
    const print = program.replace(
      'console.log(response.status, await response.json());',
      'console.log(JSON.stringify(await response.json()));',
    );
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', `${stub}\n${print}`], {
      encoding: 'utf8',
      env: environment,
    });
    const { url, init } = JSON.parse(stdout) as { url: string; init: RequestInit & { body: string } };
    expect(url).toBe('http://localhost:1/v2/send');
    expect(init.headers).toEqual({
      Authorization: 'Bearer secret-key',
      'Idempotency-Key': "o'clock",
      'Content-Type': 'application/json',
    });
    expect(JSON.parse(init.body)).toEqual(JSON.parse(body));
  });

  it('code samples read credentials from environment variables', () => {
    for (const language of ['curl', 'JavaScript', 'Python'] as const) {
      const program = buildSnippet(
        language,
        'b',
        'http://localhost:1',
        buildRequest(findOperation('sendReply'), newRequestDraft(findOperation('sendReply'))),
      );
      for (const name of ['HELIOGRAPH_KEY', 'HELIOGRAPH_SECRET', 'HELIOGRAPH_CHANNEL']) expect(program).toContain(name);
    }
  });
});

it('the .env file of a key sets its first channel and lists the others as one-line comments', () => {
  const channels = [
    { id: 'one', name: 'Support' },
    { id: 'two', name: 'Sales\nHELIOGRAPH_KEY=other' },
  ];
  expect(buildEnvFile({ key: 'hg_live_x', secret: 'y' }, channels).split('\n')).toEqual([
    'HELIOGRAPH_KEY=hg_live_x',
    'HELIOGRAPH_SECRET=y',
    '# Support',
    'HELIOGRAPH_CHANNEL=one',
    '# Sales HELIOGRAPH_KEY=other',
    '# HELIOGRAPH_CHANNEL=two',
    '',
  ]);
});
