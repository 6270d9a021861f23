import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { Ajv } from 'ajv';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const test = suiteApp({ role: 'api' });

it('every schema compiles, although startup does not wait for it', async () => {
  await expect(test.app.lazyFunctions.createAll(() => setImmediate())).resolves.toBeUndefined();
});

it('every request schema is valid, although startup does not check', async () => {
  const schemas: (FastifySchema & { at: string })[] = [];
  const listen = (event: unknown) =>
    (event as { fastify: FastifyInstance }).fastify.addHook('onRoute', ({ method, url, schema }) => {
      if (schema) schemas.push({ ...schema, at: `${method} ${url}` });
    });
  subscribe('fastify.initialization', listen);
  const otherApp = await testApp({ sharesWith: test }).finally(() => unsubscribe('fastify.initialization', listen));
  onTestFinished(() => otherApp.close());
  const ajv = new Ajv({ strict: false });
  const invalidSchemas = schemas.flatMap(({ at, body, querystring, params, headers }) =>
    [body, querystring, params, headers].flatMap((part) =>
      part && !ajv.validateSchema(part) ? [`${at}: ${ajv.errorsText()}`] : [],
    ),
  );
  expect(invalidSchemas).toEqual([]);
  expect(schemas.filter(({ body }) => body).length).toBeGreaterThan(100);
});

it('a schema is compiled once per process, even with several applications', async () => {
  const account = await createTestAccount(test.deps);
  const invalidRequest = {
    method: 'POST',
    url: '/v2/send',
    headers: account.headers,
    payload: { to: 15005550111 },
  } as const;
  const response = await test.app.inject(invalidRequest);
  expect(response.statusCode).toBe(400);
  const otherApp = await testApp({ sharesWith: test });
  onTestFinished(() => otherApp.close());
  const compile = vi.spyOn(Ajv.prototype, 'compile');
  onTestFinished(() => compile.mockRestore());
  const repeatedResponse = await otherApp.app.inject(invalidRequest);
  expect(repeatedResponse.json().error ?? repeatedResponse.json().message).toEqual(
    response.json().error ?? response.json().message,
  );
  expect(repeatedResponse.statusCode).toBe(400);
  expect(compile).not.toHaveBeenCalled();
});
