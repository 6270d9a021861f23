import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { envFile } from '../../console/src/pages/api-keys/env-file.js';
import { buildRequest, credentialHeaders, draftOf } from '../../console/src/pages/playground/draft.js';
import {
  type OpenApiDocument,
  type Operation,
  operationsOf,
  searchOperations,
} from '../../console/src/pages/playground/operations.js';
import { snippet } from '../../console/src/pages/playground/snippets.js';
import { readBuiltOpenApi } from '../support/openapi-document.js';

const document = readBuiltOpenApi<OpenApiDocument>();
const operations = operationsOf(document);
const find = (id: string) => operations.find((each) => each.id === id) as Operation;

describe('the operations of the playground', () => {
  it('are those of both surfaces, and none of the console itself', () => {
    const expected = Object.entries(document.paths)
      .filter(([path]) => /^\/(?:v1\.0|v2|api\/v1)\//.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
    expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(60);
  });

  it('ask for fields that may be null as for others: a form leaves them out', () => {
    const { priority, preview_url } = find('send').body?.schema.properties ?? {};
    expect([priority?.type, preview_url?.type]).toEqual(['integer', 'boolean']);
  });

  it('are found by any words of what they do and where', () => {
    const found = searchOperations(operations, 'POST  campaigns cancel').map(({ id }) => id);
    expect(found).toEqual(['cancelCampaign']);
    expect(searchOperations(operations, '')).toHaveLength(operations.length);
    expect(searchOperations(operations, 'no such thing')).toEqual([]);
  });

  it('come with an example of every body, which holds all that is required', () => {
    for (const { id, body } of operations.filter((each) => each.body)) {
      const example = body?.example as Record<string, unknown>;
      for (const name of body?.schema.required ?? []) expect(example, `${id} without ${name}`).toHaveProperty(name);
    }
    expect(JSON.parse(draftOf(find('send')).body ?? '')).toEqual({
      to: '15005550111',
      from: 'Heliograph',
      message: 'Hello',
    });
  });
});

describe('a request of the playground', () => {
  it('fills in the path, leaves out what is empty, and says who calls as the surface wants it', () => {
    const made = buildRequest(find('listConversationMessages'), {
      parameters: { id: 'a/b', limit: '5', offset: '' },
      body: null,
    });
    expect(made).toEqual({
      method: 'GET',
      path: '/api/v1/conversations/a%2Fb/messages?limit=5',
      headers: {},
      body: null,
    });
    const credentials = { key: 'k', secret: 's', channelId: 'c' };
    expect(credentialHeaders('a', credentials)).toEqual({ Authorization: 'Bearer k' });
    expect(credentialHeaders('b', credentials)).toEqual({ 'X-API-Key': 'k', 'X-API-Secret': 's', 'X-Channel-Id': 'c' });
  });

  const body = JSON.stringify({ to: '15005550111', from: 'Shop', message: `It's "quoted", $HOME \\ and\nbroken` });
  const made = buildRequest(find('send'), { parameters: { 'Idempotency-Key': "o'clock" }, body });
  const environment = { ...process.env, HELIOGRAPH_KEY: 'secret-key' };

  it('reads the same as a program of the shell', () => {
    const program = snippet('curl', 'a', 'http://localhost:1', made).replace(/^curl/, 'printf "%s\\n" _');
    const { stdout } = spawnSync('sh', ['-c', program], { encoding: 'utf8', env: environment });
    expect(stdout).toContain('http://localhost:1/v2/send\n');
    expect(stdout).toContain('Authorization: Bearer secret-key\n');
    expect(stdout).toContain("Idempotency-Key: o'clock\n");
    expect(stdout).toContain(`-d\n${body}\n`);
  });

  it('reads the same as a program of Node.js', () => {
    const program = snippet('JavaScript', 'a', 'http://localhost:1', made);
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

  it('holds no secret in any language', () => {
    for (const language of ['curl', 'JavaScript', 'Python'] as const) {
      const program = snippet(
        language,
        'b',
        'http://localhost:1',
        buildRequest(find('sendReply'), draftOf(find('sendReply'))),
      );
      for (const name of ['HELIOGRAPH_KEY', 'HELIOGRAPH_SECRET', 'HELIOGRAPH_CHANNEL']) expect(program).toContain(name);
    }
  });
});

it('the file .env of a key sets its first channel, and names the others in comments, each on one line', () => {
  const channels = [
    { id: 'one', name: 'Support' },
    { id: 'two', name: 'Sales\nHELIOGRAPH_KEY=other' },
  ];
  expect(envFile({ key: 'hg_live_x', secret: 'y' }, channels).split('\n')).toEqual([
    'HELIOGRAPH_KEY=hg_live_x',
    'HELIOGRAPH_SECRET=y',
    '# Support',
    'HELIOGRAPH_CHANNEL=one',
    '# Sales HELIOGRAPH_KEY=other',
    '# HELIOGRAPH_CHANNEL=two',
    '',
  ]);
});
