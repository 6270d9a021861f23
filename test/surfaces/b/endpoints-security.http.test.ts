import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHANNEL_KEY_SCOPES, type OperationScope } from '../../../src/accounts/keys.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel, createTestKey, type TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { type Belongings, everythingOf, giveBelongings } from './belongings.js';
import { askSecured, type SecuredRequest } from './secured-request.js';
import { SECURED_ROUTES, type SecuredRoute } from './security-table.js';

const heliograph = suiteApp({ role: 'api', settings: { SEND_WAIT_MS: '1' } });
let owner: TestChannel;
let own: Belongings;

// Without a worker, only the requests change anything.
beforeAll(async () => {
  owner = await createTestChannel(heliograph.deps);
  own = await giveBelongings(heliograph.deps, owner);
});

function registered(): string[] {
  const steps: string[] = [];
  return heliograph.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', step = '', methods = ''] = /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? [];
      steps.splice(indent.length / 4, Number.POSITIVE_INFINITY, step);
      return methods.split(', ').map((method) => `${method} ${steps.join('')}`);
    })
    .filter((each) => /^(?!HEAD|OPTIONS)[A-Z]+ \/(api|simulator)\//.test(each));
}

const ask = (secured: SecuredRoute, request: SecuredRequest) => askSecured(heliograph, secured, request);

function expectError(response: LightMyRequestResponse, status: number, code: string) {
  expect(response.statusCode, response.body).toBe(status);
  expect(response.json()).toMatchObject({ success: false, error: { code, message: expect.any(String) } });
}

function withValue(body: object, field: string, value: string): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  const steps = field.match(/\w+/g) ?? [];
  const last = steps.pop() as string;
  const inside = steps.reduce((each, step) => each[step] as Record<string, unknown>, copy);
  expect(inside[last], field).toEqual(expect.any(String));
  inside[last] = value;
  return copy;
}

/** Callers who must not reach the owner's data; new for each test, because usage counts their requests. */
async function others(): Promise<[string, TestChannel][]> {
  return [
    ['another account', await createTestChannel(heliograph.deps)],
    ['another channel of the account', await createTestChannel(heliograph.deps, owner.account)],
  ];
}

const keyOf = async (of: TestChannel, scopes: readonly (typeof CHANNEL_KEY_SCOPES)[number][]) =>
  (await createTestKey(heliograph.deps, of, scopes)).headers;
const allBut = (scope: OperationScope) =>
  CHANNEL_KEY_SCOPES.filter((each) => each !== 'full' && each !== scope) as OperationScope[];

it('the table lists exactly the routes of Surface B', () => {
  expect(registered().sort()).toEqual(SECURED_ROUTES.map(({ route }) => route).sort());
});

describe.each(SECURED_ROUTES)('$route', (secured) => {
  const { scope, body, path, bodyIds = [], queryIds = {} } = secured;

  it('answers 401 if one of the three headers is missing', async () => {
    for (const name of ['x-api-key', 'x-api-secret', 'x-channel-id'] as const) {
      const { [name]: _left, ...headers } = owner.headers;
      expectError(await ask(secured, { headers, path: own, body: body?.(own) }), 401, 'UNAUTHORIZED');
    }
  });

  it('answers 403 to a key of another channel', async () => {
    for (const [, other] of await others()) {
      const headers = { ...other.headers, 'x-channel-id': owner.channelId };
      expectError(await ask(secured, { headers, path: own, body: body?.(own) }), 403, 'FORBIDDEN');
    }
  });

  it(`answers 403 to a key with every scope but ${scope}, and 200 with it alone`, async () => {
    // A new channel, because some resources are limited per channel.
    const fresh = await createTestChannel(heliograph.deps);
    const belongings = await giveBelongings(heliograph.deps, fresh);
    const request = { path: belongings, body: body?.(belongings) };
    expectError(await ask(secured, { ...request, headers: await keyOf(fresh, allBut(scope)) }), 403, 'FORBIDDEN');
    const allowed = await ask(secured, { ...request, headers: await keyOf(fresh, [scope]) });
    expect(allowed.statusCode, allowed.body).toBe(200);
    if (secured.answersFile) expect(allowed.headers['content-type']).toBe('image/png');
    else expect(allowed.json()).toMatchObject({ success: true });
  });

  it('answers 404 to IDs of another account or channel, and shows and changes nothing', async () => {
    for (const [whose, other] of await others()) {
      const theirs = await giveBelongings(heliograph.deps, other);
      const before = await everythingOf(heliograph.deps, owner);
      const answers: LightMyRequestResponse[] = [];
      for (const name of Object.keys(path ?? {})) {
        const field = path?.[name] as keyof Belongings;
        const foreign = (id: string) =>
          ask(secured, { headers: other.headers, path: { ...theirs, [field]: id }, body: body?.(theirs) });
        const answer = await foreign(own[field]);
        expectError(answer, 404, 'NOT_FOUND');
        // A foreign ID looks like an unknown one.
        expect(answer.body, whose).toBe((await foreign(newId())).body);
        expectError(await foreign('malformed'), 404, 'NOT_FOUND');
        answers.push(answer);
      }
      for (const field of bodyIds) {
        const foreign = (id: string) =>
          ask(secured, { headers: other.headers, path: theirs, body: withValue(body?.(theirs) ?? {}, field, id) });
        // `steps[0].groupId` contains a groupId, `contactIds[0]` a contactId.
        const id = own[(field.match(/\w+$/)?.[0] ?? field.replace(/s\[\d+\]$/, '')) as keyof Belongings];
        const answer = await foreign(id);
        expectError(answer, 404, 'NOT_FOUND');
        expect(answer.body, whose).toBe((await foreign(newId())).body);
        expectError(await foreign('malformed'), 400, 'INVALID_REQUEST');
        answers.push(answer);
      }
      for (const [name, field] of Object.entries(queryIds)) {
        const answer = await ask(secured, { headers: other.headers, query: { [name]: own[field] } });
        expect(answer.json(), whose).toMatchObject({ success: true, data: { total: 0 } });
      }
      answers.push(await ask(secured, { headers: other.headers, path: theirs, body: body?.(theirs) }));
      for (const secret of Object.values(own)) {
        for (const answer of answers) expect(answer.body, whose).not.toContain(secret);
      }
      expect(await everythingOf(heliograph.deps, owner), whose).toBe(before);
    }
  });
});
