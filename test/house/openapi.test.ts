import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { digestOpenApi } from '../../scripts/lib/openapi-digest.mjs';
import { readBuiltOpenApi } from '../support/openapi-document.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { suiteApp } from '../support/suite.js';

describe('the OpenAPI document', () => {
  const test = suiteApp({ role: 'api' });
  let served: Parameters<typeof digestOpenApi>[0] & { openapi: string };

  beforeAll(async () => {
    served = (await test.app.inject({ url: '/openapi.json' })).json();
  });

  it('is written by the build as the server serves it (otherwise: npm run build)', () => {
    expect(served.openapi).toMatch(/^3\.1\./);
    expect(readBuiltOpenApi()).toEqual(served);
  });

  it('has the operations that docs/openapi-digest.txt lists (otherwise: npm run openapi, and review the change)', () => {
    expect(readFileSync(join(PROJECT_FOLDER, 'docs/openapi-digest.txt'), 'utf8')).toBe(digestOpenApi(served));
  });
});

describe('digestOpenApi', () => {
  const operation = (schema: object, text = 'Gets a thing') => ({
    paths: {
      '/things': {
        get: { operationId: 'getThing', summary: text, responses: { 200: { $ref: '#/components/responses/Thing' } } },
      },
    },
    components: { responses: { Thing: { description: text, content: { 'application/json': { schema } } } } },
  });
  const titled = { type: 'object', description: 'A thing', properties: { title: { type: 'string' } } };

  it('lists an operation with its method, path and ID', () => {
    expect(digestOpenApi(operation(titled))).toMatch(/^GET \/things getThing [0-9a-f]{12}$/m);
  });

  it('ignores descriptions, examples and the order of fields', () => {
    const { properties, type } = titled;
    const reworded = { example: { title: 'x' }, properties, type };
    expect(digestOpenApi(operation(reworded, 'Returns a thing'))).toBe(digestOpenApi(operation(titled)));
  });

  it('changes with a field, even one named like a keyword of the schema', () => {
    const untitled = { ...titled, properties: {} };
    const typed = { ...titled, properties: { title: { type: 'integer' } } };
    const digests = [titled, untitled, typed].map((schema) => digestOpenApi(operation(schema)));
    expect(new Set(digests).size).toBe(3);
  });
});
