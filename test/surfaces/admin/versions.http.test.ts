import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { createScriptedType } from '../../support/carriers/scripted-carrier.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildGuard, buildLimit } from '../../support/guards.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api', carrierTypes: [createScriptedType()] });
let owner: TestOperator;
let channel: TestChannel;
beforeAll(async () => {
  owner = await createTestOperator(heliograph);
  channel = await createTestChannel(heliograph.deps);
});

interface Operation {
  operationId: string;
  parameters?: { in: string; name: string }[];
}

/** Changes without a version, with the reason why the last one may win. A new change must check a version or be added. */
const LAST_WINS: Record<string, string> = {
  consoleSwitchOperator: 'a switch',
  consoleSwitchChannel: 'a switch',
  consoleSetMemberRole: 'one choice, which says itself what becomes of it',
  consoleSetChannelCarrier: 'one choice',
  consoleChangeOwnPassword: 'asks for the one before',
  consoleChangeAccountSettings: 'one number',
  consoleChangeAccount: 'each field by itself, by owners of the installation',
  consoleSetPrice: 'one price',
  consoleUpdateContact: 'each field by itself',
  consoleUpdateGroup: 'a name and a description',
  consoleAddImportSlice: 'part of what one person brings, at its place',
};

interface Kind {
  operationId: string;
  make(): Promise<string>;
  read(id: string): Promise<{ version: string }>;
  path(id: string): string;
  method: 'PUT' | 'PATCH';
  changes: [object, object];
}

const ofChannel = (path: string) => `/accounts/${channel.account.id}/channels/${channel.channelId}${path}`;
const made = async (path: string, body: object) => {
  const answer = await owner.ask('POST', path, body);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
};
const dataOf = async (path: string) => (await owner.ask('GET', path)).json().data;
const hook = (n: number) => ({ url: `https://example.com/${n}`, events: ['message.status'] });

const KINDS: Kind[] = [
  {
    operationId: 'consoleSetGrants',
    make: async () => (await createTestOperator(heliograph, { role: 'viewer' })).id,
    read: async (id) => (await dataOf('/operators?limit=200')).find((each: { id: string }) => each.id === id),
    path: (id) => `/operators/${id}/grants`,
    method: 'PUT',
    changes: [{ grants: [] }, { grants: [{ role: 'developer', accountId: null }] }],
  },
  {
    operationId: 'consoleChangeCarrier',
    make: async () =>
      (
        await made('/carriers', {
          name: `c-${newId().slice(-8)}`,
          type: 'scripted',
          settings: { host: 'a' },
          isActive: false,
        })
      ).name,
    read: async (name) => (await dataOf('/carriers')).find((each: { name: string }) => each.name === name),
    path: (name) => `/carriers/${name}`,
    method: 'PATCH',
    changes: [{ set: { host: 'b' } }, { set: { host: 'c' } }],
  },
  {
    operationId: 'consoleUpdateAutomation',
    make: async () => (await made(ofChannel('/automations'), { name: 'A', steps: [{ type: 'wait', seconds: 60 }] })).id,
    read: (id) => dataOf(ofChannel(`/automations/${id}`)),
    path: (id) => ofChannel(`/automations/${id}`),
    method: 'PUT',
    changes: [{ name: 'B' }, { name: 'C' }],
  },
  {
    operationId: 'consoleUpdateWebhook',
    make: async () => (await made(ofChannel('/webhooks'), hook(1))).id,
    read: (id) => dataOf(ofChannel(`/webhooks/${id}`)),
    path: (id) => ofChannel(`/webhooks/${id}`),
    method: 'PUT',
    changes: [hook(2), hook(3)],
  },
  {
    operationId: 'consoleUpdateAccountWebhook',
    make: async () => (await made(`/accounts/${channel.account.id}/webhooks`, hook(1))).id,
    read: (id) => dataOf(`/accounts/${channel.account.id}/webhooks/${id}`),
    path: (id) => `/accounts/${channel.account.id}/webhooks/${id}`,
    method: 'PUT',
    changes: [hook(2), hook(3)],
  },
  {
    operationId: 'consoleEditTemplate',
    make: async () => {
      const body = { name: `t_${newId().slice(-8)}`, language: 'en', category: 'UTILITY', components: [text('One')] };
      const { id } = await made(ofChannel('/templates'), body);
      await heliograph.deps.prisma.template.update({ where: { id }, data: { status: 'APPROVED' } });
      return id;
    },
    read: async (id) =>
      (await dataOf(ofChannel('/templates'))).templates.find((each: { id: string }) => each.id === id),
    path: (id) => ofChannel(`/templates/${id}`),
    method: 'PUT',
    changes: [
      { category: 'UTILITY', components: [text('Two')] },
      { category: 'UTILITY', components: [text('Three')] },
    ],
  },
  {
    operationId: 'consoleSetGuard',
    make: async () => {
      const { id } = await createTestAccount(heliograph.deps);
      await owner.ask('PUT', `/accounts/${id}/guard`, { guard: buildGuard({ limits: [buildLimit('3')] }) });
      return id;
    },
    read: (id) => dataOf(`/accounts/${id}/guard`),
    path: (id) => `/accounts/${id}/guard`,
    method: 'PUT',
    changes: [{ guard: buildGuard({ allowed: ['US'] }) }, { guard: null }],
  },
  {
    operationId: 'consoleSetKeyGuard',
    make: async () => {
      const accountId = channel.account.id;
      const { id } = await heliograph.deps.prisma.apiKey.findFirstOrThrow({ where: { accountId } });
      await owner.ask('PUT', `/accounts/${accountId}/keys/${id}/guard`, { guard: null });
      return id;
    },
    read: async (id) =>
      (await dataOf(`/accounts/${channel.account.id}/guard`)).keys.find((each: { id: string }) => each.id === id),
    path: (id) => `/accounts/${channel.account.id}/keys/${id}/guard`,
    method: 'PUT',
    changes: [{ guard: buildGuard({ allowed: ['US'] }) }, { guard: buildGuard({ limits: [buildLimit('3')] }) }],
  },
];

function text(words: string) {
  return { type: 'BODY', text: words };
}

async function operations(): Promise<(Operation & { name: string })[]> {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1'))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method === 'put' || method === 'patch')
        .map(([method, each]) => ({ name: `${method} ${path}`, ...each })),
    );
}

describe('versioned resources', () => {
  it('are all resources that can be changed, except those listed here', async () => {
    const versioned = (each: Operation) =>
      each.parameters?.some(({ in: place, name }) => place === 'header' && name === 'if-match');
    const all = await operations();
    const lost = all.filter((each) => !versioned(each) && !(each.operationId in LAST_WINS));
    expect(lost.map(({ name, operationId }) => `${name} ${operationId}`)).toEqual([]);
    expect(
      all
        .filter(versioned)
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(KINDS.map(({ operationId }) => operationId).sort());
  });

  it.each(KINDS.map((kind) => [kind.operationId, kind] as const))(
    '%s: the second save is refused and changes nothing',
    async (_, kind) => {
      const id = await kind.make();
      const { version } = await kind.read(id);
      expect(version).toMatch(/^[\w-]{16}$/);
      const change = (body: object, ifMatch?: string) =>
        heliograph.app.inject({
          method: kind.method,
          url: `/admin/v1${kind.path(id)}`,
          headers: { ...owner.headers, ...(ifMatch && { 'if-match': ifMatch }) },
          payload: body,
        });
      const [first, second] = kind.changes;
      const changed = await change(first, `"${version}"`);
      expect(changed.statusCode, changed.body).toBe(200);
      const after = await kind.read(id);
      expect(after.version).not.toBe(version);
      for (const stale of [`"${version}"`, version, `W/"${version}"`, '""', 'x, y']) {
        const refused = await change(second, stale);
        expect(refused.statusCode).toBe(412);
        expect(refused.json().error.code).toBe('CHANGED_MEANWHILE');
      }
      expect(await kind.read(id)).toEqual(after);
    },
  );

  it.each(KINDS.map((kind) => [kind.operationId, kind] as const))(
    '%s: of two concurrent saves one succeeds and the other is refused',
    async (_, kind) => {
      const id = await kind.make();
      const { version } = await kind.read(id);
      const save = (payload: object) =>
        heliograph.app.inject({
          method: kind.method,
          url: `/admin/v1${kind.path(id)}`,
          headers: { ...owner.headers, 'if-match': `"${version}"` },
          payload,
        });
      const saved = await Promise.all([...kind.changes, ...kind.changes].map(save));
      expect(saved.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412, 412, 412]);
      expect((await kind.read(id)).version).not.toBe(version);
    },
  );
});
