import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { CHANNEL_KEY_SCOPES, type OperationScope, revokeChannelKey } from '../../../src/accounts/keys.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, createTestKey, type TestChannel } from '../../support/channels.js';
import { callGraph, graphIdsOf, tokenOf } from '../../support/graph-calls.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

interface Operation {
  route: string;
  scope: OperationScope;
  /** A request that its owner may make. */
  query?: string;
  body?: () => object;
}

const TEXT = { messaging_product: 'whatsapp', to: '15005550111', type: 'text', text: { body: 'Hello' } };
const TEMPLATE = {
  ...TEXT,
  type: 'template',
  text: undefined,
  template: { name: 'hello', language: { code: 'en_US' } },
};
let made = 0;
const draft = () => ({
  name: `made_${++made}`,
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hello' }],
});

/** Every operation, so that a new one is walked too. */
const OPERATIONS: Operation[] = [
  { route: 'POST /graph/:version/:phoneNumberId/messages', scope: 'messages:send', body: () => TEMPLATE },
  { route: 'GET /graph/:version/:businessAccountId/message_templates', scope: 'templates:read' },
  { route: 'POST /graph/:version/:businessAccountId/message_templates', scope: 'templates:write', body: draft },
  {
    route: 'DELETE /graph/:version/:businessAccountId/message_templates',
    scope: 'templates:write',
    query: '?name=goes',
  },
  { route: 'GET /graph/:version/:businessAccountId/phone_numbers', scope: 'account:read' },
  { route: 'GET /graph/:version/:id', scope: 'account:read' },
];

// The API alone: nobody takes what it accepts, so nothing is waited for.
/** Those of files, which `media.http.test.ts` walks with a file. */
const OF_FILES = [
  'POST /graph/:version/:phoneNumberId/media',
  'GET /graph/:version/:id/file',
  'DELETE /graph/:version/:id',
];

const heliograph = suiteApp({ role: 'api', settings: { SEND_WAIT_MS: '1' } });
let owner: TestChannel;
let other: TestChannel;

const idsOf = async (channel: TestChannel) => {
  const { phoneNumberId, businessAccountId } = await graphIdsOf(heliograph, channel);
  return { phoneNumberId, businessAccountId, id: phoneNumberId };
};

/** Makes the request of an operation with the ids of one channel and the token of another. */
async function ask(
  { route, query = '', body }: Operation,
  ids: Record<string, string>,
  headers: Record<string, string>,
) {
  const [method, pattern = ''] = route.split(' ');
  const url = pattern.replace(':version', 'v26.0').replace(/:(\w+)/g, (_, name: string) => ids[name] ?? '') + query;
  const payload = body?.();
  return heliograph.app.inject({ method: method as 'GET', url, headers, payload });
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

beforeAll(async () => {
  owner = await createTestChannel(heliograph.deps);
  other = await createTestChannel(heliograph.deps);
  for (const channel of [owner, other]) {
    for (const name of ['hello', 'goes']) await addTemplate(heliograph, channel, { name });
  }
});

it('the list names every operation of the document, and no other', async () => {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  const told = Object.entries(paths as Record<string, object>)
    .filter(([path]) => path.startsWith('/graph/'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
  expect(told.sort()).toEqual([...OPERATIONS.map(({ route }) => route), ...OF_FILES].sort());
});

describe.each(OPERATIONS)('$route', (operation) => {
  it('without a token, with half of one, and with another key’s secret: 401, code 190', async () => {
    const ids = await idsOf(owner);
    const { 'x-api-key': key } = owner.headers;
    const tokens = [
      '',
      key,
      `${key}.`,
      `${key}.${other.headers['x-api-secret']}`,
      `${tokenOf(owner)}.x`,
      'x'.repeat(999),
    ];
    for (const headers of [{}, { authorization: `Basic ${tokenOf(owner)}` }, ...tokens.map(bearer)]) {
      const response = await ask(operation, ids, headers);
      expect([response.statusCode, response.json().error?.code], JSON.stringify(headers)).toEqual([401, 190]);
      expect(response.headers['www-authenticate']).toBe('Bearer');
      expect(response.body).not.toContain(key);
    }
  });

  it(`with every scope but ${operation.scope}: 403, code 10; with it alone: 200`, async () => {
    const fresh = await createTestChannel(heliograph.deps);
    for (const name of ['hello', 'goes']) await addTemplate(heliograph, fresh, { name });
    const others = CHANNEL_KEY_SCOPES.filter((each) => each !== 'full' && each !== operation.scope);
    const refused = await ask(
      operation,
      await idsOf(fresh),
      bearer(tokenOf(await createTestKey(heliograph.deps, fresh, others))),
    );
    expect([refused.statusCode, refused.json().error.code]).toEqual([403, 10]);
    const allowed = await createTestKey(heliograph.deps, fresh, [operation.scope]);
    const response = await ask(operation, await idsOf(fresh), bearer(tokenOf(allowed)));
    expect(response.statusCode, response.body).toBe(200);
  });

  it('with ids of another account: 400, code 100, subcode 33, as of ids that nobody has', async () => {
    const foreign = await ask(operation, await idsOf(owner), bearer(tokenOf(other)));
    expect([foreign.statusCode, foreign.json().error]).toMatchObject([400, { code: 100, error_subcode: 33 }]);
    const nobodys = Object.fromEntries(Object.keys(await idsOf(owner)).map((name) => [name, '999999999999999']));
    const unknown = await ask(operation, nobodys, bearer(tokenOf(other)));
    const shape = (text: string) => text.replace(/\d{15}/g, 'N').replace(/"fbtrace_id":"[^"]+"/, '');
    expect(shape(foreign.body)).toBe(shape(unknown.body));
    expect(foreign.body).not.toContain(owner.phoneNumber);
    for (const id of ['%00', 'a%2Fb', '../', '0', '-1', 'x'.repeat(300)]) {
      const response = await ask(operation, { phoneNumberId: id, businessAccountId: id, id }, bearer(tokenOf(owner)));
      expect(response.statusCode, id).toBe(400);
      expect(response.json().error, id).toMatchObject({
        code: expect.toBeOneOf([100, 131009]),
        type: 'OAuthException',
      });
    }
  });
});

it('a token in the query does as one in the header, and the header counts where both are', async () => {
  const { phoneNumberId } = await idsOf(owner);
  const url = `/graph/v13.0/${phoneNumberId}?access_token=${tokenOf(owner)}`;
  expect((await heliograph.app.inject({ url })).statusCode).toBe(200);
  const wrong = await heliograph.app.inject({ url, headers: bearer('nobody.knows') });
  expect(wrong.statusCode).toBe(401);
});

it('a token is refused soon after its key was revoked', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const { phoneNumberId } = await idsOf(channel);
  const get = () => callGraph(heliograph, channel, 'GET', `/${phoneNumberId}`);
  expect((await get()).statusCode).toBe(200);
  await revokeChannelKey(heliograph.deps.prisma, channel.keyId, new Date());
  await waitFor('the refusal', async () => (await get()).statusCode === 401);
});

it('paths and versions that are not there are answered in Meta’s shape', async () => {
  for (const [method, path] of [
    ['GET', '/graph'],
    ['GET', '/graph/v26.0'],
    ['PUT', '/graph/v26.0/1/messages'],
    ['GET', '/graph/v26.0/1/2/3'],
    ['GET', '/graph/latest/1/message_templates'],
  ] as const) {
    const response = await heliograph.app.inject({ method, url: path, headers: bearer(tokenOf(owner)) });
    expect(response.statusCode, path).toBe(400);
    expect(response.json().error, path).toMatchObject({ code: 100, fbtrace_id: expect.any(String) });
  }
});

it('a channel of SMS is no object of Meta’s', async () => {
  const sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
  const { data } = (await heliograph.app.inject({ url: '/api/v1/account', headers: sms.headers })).json();
  expect(data.channel.graph).toBeNull();
});

it('whatever a body holds, it is answered in Meta’s shape and never with 500', async () => {
  const { phoneNumberId, businessAccountId } = await idsOf(owner);
  const json = fc.jsonValue({ maxDepth: 3 });
  const fields = [
    ...Object.keys(TEXT),
    'template',
    'recipient',
    'interactive',
    'reaction',
    'context',
    'location',
    'contacts',
  ];
  const message = fc.dictionary(
    fc.constantFrom(...fields, 'status', 'message_id', 'image', 'biz_opaque_callback_data'),
    json,
  );
  const bodies = fc.oneof(
    json,
    message.map((changes) => ({ ...TEXT, ...changes })),
    message.map((changes) => ({ ...TEMPLATE, ...changes })),
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      for (const path of [`/${phoneNumberId}/messages`, `/${businessAccountId}/message_templates`]) {
        const response = await heliograph.app.inject({
          method: 'POST',
          url: `/graph/v26.0${path}`,
          headers: { ...bearer(tokenOf(owner)), 'content-type': 'application/json' },
          payload: JSON.stringify(body),
        });
        expect(response.statusCode, `${JSON.stringify(body)} ${response.body}`).toBeLessThan(500);
        if (response.statusCode >= 400) expect(response.json().error).toMatchObject({ code: expect.any(Number) });
      }
    }),
    { numRuns: 150 },
  );
});
