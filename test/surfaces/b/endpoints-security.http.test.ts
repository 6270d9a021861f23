import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHANNEL_KEY_SCOPES, type OperationScope } from '../../../src/accounts/keys.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel, createTestKey, type TestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { type ChannelResources, createChannelResources, readChannelRows } from './channel-resources.js';
import { type SecuredRequest, sendSecuredRequest } from './secured-request.js';
import { SECURED_ROUTES, type SecuredRoute } from './security-table.js';

const heliograph = suiteApp({ role: 'api', settings: { SEND_WAIT_MS: '1' } });
let owner: TestChannel;
let ownerResources: ChannelResources;

// Without a worker, data changes only through the requests of the tests.
beforeAll(async () => {
  owner = await createTestChannel(heliograph.deps);
  ownerResources = await createChannelResources(heliograph.deps, owner);
});

function listRegisteredRoutes(): string[] {
  const steps: string[] = [];
  return heliograph.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', step = '', methods = ''] = /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? [];
      steps.splice(indent.length / 4, Number.POSITIVE_INFINITY, step);
      return methods.split(', ').map((method) => `${method} ${steps.join('')}`);
    })
    .filter((route) => /^(?!HEAD|OPTIONS)[A-Z]+ \/(api|simulator)\//.test(route));
}

const sendRequest = (route: SecuredRoute, request: SecuredRequest) => sendSecuredRequest(heliograph, route, request);

function expectError(response: LightMyRequestResponse, status: number, code: string) {
  expect(response.statusCode, response.body).toBe(status);
  expect(response.json()).toMatchObject({ success: false, error: { code, message: expect.any(String) } });
}

function withValue(body: object, field: string, value: string): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  const steps = field.match(/\w+/g) ?? [];
  const lastStep = steps.pop() as string;
  const parent = steps.reduce((node, step) => node[step] as Record<string, unknown>, copy);
  expect(parent[lastStep], field).toEqual(expect.any(String));
  parent[lastStep] = value;
  return copy;
}

/** Creates callers without access to the owner's data for a single test, because usage statistics count their requests. */
async function createOtherChannels(): Promise<[string, TestChannel][]> {
  return [
    ['another account', await createTestChannel(heliograph.deps)],
    ['another channel of the account', await createTestChannel(heliograph.deps, owner.account)],
  ];
}

const createKeyHeaders = async (keyChannel: TestChannel, scopes: readonly (typeof CHANNEL_KEY_SCOPES)[number][]) =>
  (await createTestKey(heliograph.deps, keyChannel, scopes)).headers;
const allScopesExcept = (scope: OperationScope) =>
  CHANNEL_KEY_SCOPES.filter((candidate) => candidate !== 'full' && candidate !== scope) as OperationScope[];

it('SECURED_ROUTES lists exactly the routes of Surface B', () => {
  expect(listRegisteredRoutes().sort()).toEqual(SECURED_ROUTES.map(({ route }) => route).sort());
});

describe.each(SECURED_ROUTES)('$route', (secured) => {
  const { scope, body, path, bodyIds = [], queryIds = {} } = secured;

  it('returns 401 if one of the three headers is missing', async () => {
    for (const name of ['x-api-key', 'x-api-secret', 'x-channel-id'] as const) {
      const { [name]: _left, ...headers } = owner.headers;
      expectError(
        await sendRequest(secured, { headers, path: ownerResources, body: body?.(ownerResources) }),
        401,
        'UNAUTHORIZED',
      );
    }
  });

  it('returns 403 for a key of another channel', async () => {
    for (const [, otherChannel] of await createOtherChannels()) {
      const headers = { ...otherChannel.headers, 'x-channel-id': owner.channelId };
      expectError(
        await sendRequest(secured, { headers, path: ownerResources, body: body?.(ownerResources) }),
        403,
        'FORBIDDEN',
      );
    }
  });

  it(`returns 403 for a key with every scope but ${scope}, and 200 with it alone`, async () => {
    // The test uses a new channel, because some resources are limited per channel.
    const freshChannel = await createTestChannel(heliograph.deps);
    const resources = await createChannelResources(heliograph.deps, freshChannel);
    const request = { path: resources, body: body?.(resources) };
    expectError(
      await sendRequest(secured, { ...request, headers: await createKeyHeaders(freshChannel, allScopesExcept(scope)) }),
      403,
      'FORBIDDEN',
    );
    const allowedResponse = await sendRequest(secured, {
      ...request,
      headers: await createKeyHeaders(freshChannel, [scope]),
    });
    expect(allowedResponse.statusCode, allowedResponse.body).toBe(200);
    if (secured.answersFile) expect(allowedResponse.headers['content-type']).toBe(secured.answersFile);
    else expect(allowedResponse.json()).toMatchObject({ success: true });
  });

  it('returns 404 for IDs of another account or channel, and shows and changes nothing', async () => {
    for (const [description, otherChannel] of await createOtherChannels()) {
      if (secured.ofAccount && otherChannel.account.id === owner.account.id) continue;
      const otherResources = await createChannelResources(heliograph.deps, otherChannel);
      const stateBefore = await readChannelRows(heliograph.deps, owner);
      const responses: LightMyRequestResponse[] = [];
      for (const name of Object.keys(path ?? {})) {
        const field = path?.[name] as keyof ChannelResources;
        const requestWithId = (id: string) =>
          sendRequest(secured, {
            headers: otherChannel.headers,
            path: { ...otherResources, [field]: id },
            body: body?.(otherResources),
          });
        const response = await requestWithId(ownerResources[field]);
        expectError(response, 404, 'NOT_FOUND');
        // The response must not reveal that another channel's ID exists.
        expect(response.body, description).toBe((await requestWithId(newId())).body);
        expectError(await requestWithId('malformed'), 404, 'NOT_FOUND');
        responses.push(response);
      }
      for (const field of bodyIds) {
        const requestWithId = (id: string) =>
          sendRequest(secured, {
            headers: otherChannel.headers,
            path: otherResources,
            body: withValue(body?.(otherResources) ?? {}, field, id),
          });
        // The field `steps[0].groupId` contains a groupId, and `contactIds[0]` contains a contactId.
        const id =
          ownerResources[(field.match(/\w+$/)?.[0] ?? field.replace(/s\[\d+\]$/, '')) as keyof ChannelResources];
        const response = await requestWithId(id);
        expectError(response, 404, 'NOT_FOUND');
        expect(response.body, description).toBe((await requestWithId(newId())).body);
        expectError(await requestWithId('malformed'), 400, 'INVALID_REQUEST');
        responses.push(response);
      }
      for (const [name, field] of Object.entries(queryIds)) {
        const response = await sendRequest(secured, {
          headers: otherChannel.headers,
          query: { [name]: ownerResources[field] },
        });
        expect(response.json(), description).toMatchObject({ success: true, data: { total: 0 } });
      }
      responses.push(
        await sendRequest(secured, {
          headers: otherChannel.headers,
          path: otherResources,
          body: body?.(otherResources),
        }),
      );
      for (const secret of Object.values(ownerResources)) {
        for (const response of responses) expect(response.body, description).not.toContain(secret);
      }
      expect(await readChannelRows(heliograph.deps, owner), description).toBe(stateBefore);
    }
  });
});
