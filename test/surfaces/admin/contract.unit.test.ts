import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import Fastify from 'fastify';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ok, page, pageQuery } from '../../../src/surfaces/admin/answers.js';
import type { ConsoleContract } from '../../../src/surfaces/admin/contract/console.js';
import type {
  Contract,
  EndpointAnswer,
  EndpointBody,
  EndpointData,
  EndpointParams,
} from '../../../src/surfaces/admin/contract/contract.js';
import { registerRoutes } from '../../../src/surfaces/admin/endpoint.js';
import { RULE } from '../../../src/surfaces/http/validation.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';

const CONTRACT = {
  'GET /things': {
    needs: 'session',
    roleScope: 'self',
    operationId: 'consoleListThings',
    summary: 'List the things',
    query: pageQuery({}),
    entry: Type.Object({ name: Type.String() }),
    more: { total: Type.Integer() },
  },
  'PUT /things/:name': {
    needs: 'session',
    roleScope: 'self',
    operationId: 'consoleNameThing',
    summary: 'Give a thing another name',
    params: Type.Object({ name: Type.String() }),
    body: Type.Object({ to: Type.String() }),
    data: Type.Object({ was: Type.String(), is: Type.String() }),
  },
} satisfies Contract;

/** Ajv must know the custom keyword that schemas use for rules. */
const APP_OPTIONS = { ajv: { customOptions: { keywords: [RULE] } } };

describe('the routes of a contract', () => {
  it('have the paths and schemas of the contract', async () => {
    const app = Fastify(APP_OPTIONS);
    const route = registerRoutes(app, CONTRACT);
    route('GET /things', async () => ({ ...page([{ name: 'a' }], null), total: 1 }));
    route('PUT /things/:name', async ({ params, body }) => ok({ was: params.name, is: body.to }));

    const renameResponse = await app.inject({ method: 'PUT', url: '/things/old', payload: { to: 'new', more: 1 } });
    expect(renameResponse.json()).toEqual({ data: { was: 'old', is: 'new' } });
    expect((await app.inject({ method: 'PUT', url: '/things/old', payload: {} })).statusCode).toBe(400);
    expect((await app.inject('/things')).json()).toEqual({ data: [{ name: 'a' }], next: null, total: 1 });
    await app.close();
  });

  it('must all have handlers when the server is ready', async () => {
    const app = Fastify(APP_OPTIONS);
    const route = registerRoutes(app, CONTRACT);
    route('GET /things', async () => ({ ...page([], null), total: 0 }));
    await expect(app.ready()).rejects.toThrow('No handler for PUT /things/:name');
    await app.close();
  });

  it('must return what the contract declares, or they do not compile', () => {
    const app = Fastify(APP_OPTIONS);
    const route = registerRoutes(app, CONTRACT);
    // @ts-expect-error a field of the response is missing
    route('PUT /things/:name', async ({ params }) => ok({ was: params.name }));
    // @ts-expect-error the endpoint does not exist
    expect(() => route('GET /thing', async () => ok({}))).toThrow();
    expectTypeOf<EndpointAnswer<(typeof CONTRACT)['GET /things']>>().toEqualTypeOf<
      { data: { name: string }[]; next: string | null } & { total: number }
    >();
  });
});

describe('the contract of the console', () => {
  it('includes every file of its folder that declares endpoints', () => {
    const folder = join(PROJECT_FOLDER, 'src', 'surfaces', 'admin', 'contract');
    const index = readFileSync(join(folder, 'console.ts'), 'utf8');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        name.endsWith('.ts') &&
        !name.endsWith('-schemas.ts') &&
        !['console.ts', 'contract.ts', 'paths.ts'].includes(name),
    );
    expect(files.length).toBeGreaterThan(20);
    expect(files.filter((name) => !index.includes(`'./${name.replace(/\.ts$/, '.js')}'`))).toEqual([]);
  });

  it('declares the requests and responses of each endpoint', () => {
    type Price = ConsoleContract['PUT /rates/:card/prices'];
    expectTypeOf<EndpointParams<Price>>().toEqualTypeOf<{ card: string }>();
    expectTypeOf<EndpointBody<Price>['kind']>().toEqualTypeOf<'sms' | 'whatsapp'>();
    expectTypeOf<EndpointData<ConsoleContract['GET /accounts/:accountId']>['balance']>().toEqualTypeOf<number>();
  });
});
