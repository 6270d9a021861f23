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

/** Operations without a version check, with the reason why the last write may win. */
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
  consoleUpdateCampaign: 'each field by itself, before the campaign starts',
  consoleUpdateContactField: 'a label and choices',
  consoleSetLinkSettings: 'each setting by itself',
  consoleCheckLinkDomain: 'the result depends on the DNS',
  consoleSetKeywordReplies: 'each setting by itself',
  consoleSetChannelKeywordReplies: 'each setting by itself',
  consoleUpdateAudience: 'a name and a condition, which is one value',
  consoleUpdateGroup: 'a name and a description',
  consoleAddImportSlice: 'part of what one person brings, at its place',
};

interface VersionedResource {
  operationId: string;
  make(): Promise<string>;
  read(id: string): Promise<{ version: string }>;
  path(id: string): string;
  method: 'PUT' | 'PATCH';
  changes: [object, object];
}

const channelPath = (path: string) => `/accounts/${channel.account.id}/channels/${channel.channelId}${path}`;
const create = async (path: string, body: object) => {
  const response = await owner.ask('POST', path, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
};
const getData = async (path: string) => (await owner.ask('GET', path)).json().data;
const webhookBody = (n: number) => ({ url: `https://example.com/${n}`, events: ['message.status'] });

const VERSIONED_RESOURCES: VersionedResource[] = [
  {
    operationId: 'consoleSetGrants',
    make: async () => (await createTestOperator(heliograph, { role: 'viewer' })).id,
    read: async (id) => (await getData('/operators?limit=200')).find((operator: { id: string }) => operator.id === id),
    path: (id) => `/operators/${id}/grants`,
    method: 'PUT',
    changes: [{ grants: [] }, { grants: [{ role: 'developer', accountId: null }] }],
  },
  {
    operationId: 'consoleChangeCarrier',
    make: async () =>
      (
        await create('/carriers', {
          name: `c-${newId().slice(-8)}`,
          type: 'scripted',
          settings: { host: 'a' },
          isActive: false,
        })
      ).name,
    read: async (name) => (await getData('/carriers')).find((carrier: { name: string }) => carrier.name === name),
    path: (name) => `/carriers/${name}`,
    method: 'PATCH',
    changes: [{ set: { host: 'b' } }, { set: { host: 'c' } }],
  },
  {
    operationId: 'consoleUpdateAutomation',
    make: async () =>
      (await create(channelPath('/automations'), { name: 'A', steps: [{ type: 'wait', seconds: 60 }] })).id,
    read: (id) => getData(channelPath(`/automations/${id}`)),
    path: (id) => channelPath(`/automations/${id}`),
    method: 'PUT',
    changes: [{ name: 'B' }, { name: 'C' }],
  },
  {
    operationId: 'consoleUpdateWebhook',
    make: async () => (await create(channelPath('/webhooks'), webhookBody(1))).id,
    read: (id) => getData(channelPath(`/webhooks/${id}`)),
    path: (id) => channelPath(`/webhooks/${id}`),
    method: 'PUT',
    changes: [webhookBody(2), webhookBody(3)],
  },
  {
    operationId: 'consoleUpdateAccountWebhook',
    make: async () => (await create(`/accounts/${channel.account.id}/webhooks`, webhookBody(1))).id,
    read: (id) => getData(`/accounts/${channel.account.id}/webhooks/${id}`),
    path: (id) => `/accounts/${channel.account.id}/webhooks/${id}`,
    method: 'PUT',
    changes: [webhookBody(2), webhookBody(3)],
  },
  {
    operationId: 'consoleEditTemplate',
    make: async () => {
      const body = {
        name: `t_${newId().slice(-8)}`,
        language: 'en',
        category: 'UTILITY',
        components: [textTemplate('One')],
      };
      const { id } = await create(channelPath('/templates'), body);
      await heliograph.deps.prisma.template.update({ where: { id }, data: { status: 'APPROVED' } });
      return id;
    },
    read: async (id) =>
      (await getData(channelPath('/templates'))).templates.find((template: { id: string }) => template.id === id),
    path: (id) => channelPath(`/templates/${id}`),
    method: 'PUT',
    changes: [
      { category: 'UTILITY', components: [textTemplate('Two')] },
      { category: 'UTILITY', components: [textTemplate('Three')] },
    ],
  },
  {
    operationId: 'consoleSetGuard',
    make: async () => {
      const { id } = await createTestAccount(heliograph.deps);
      await owner.ask('PUT', `/accounts/${id}/guard`, { guard: buildGuard({ limits: [buildLimit('3')] }) });
      return id;
    },
    read: (id) => getData(`/accounts/${id}/guard`),
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
      (await getData(`/accounts/${channel.account.id}/guard`)).keys.find((key: { id: string }) => key.id === id),
    path: (id) => `/accounts/${channel.account.id}/keys/${id}/guard`,
    method: 'PUT',
    changes: [{ guard: buildGuard({ allowed: ['US'] }) }, { guard: buildGuard({ limits: [buildLimit('3')] }) }],
  },
];

function textTemplate(text: string) {
  return { type: 'BODY', text };
}

async function listOperations(): Promise<(Operation & { name: string })[]> {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1'))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => method === 'put' || method === 'patch')
        .map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
    );
}

describe('versioned resources', () => {
  it('are all resources that can be changed, except the listed ones', async () => {
    const isVersioned = (operation: Operation) =>
      operation.parameters?.some(({ in: location, name }) => location === 'header' && name === 'if-match');
    const allOperations = await listOperations();
    const unlisted = allOperations.filter(
      (operation) => !isVersioned(operation) && !(operation.operationId in LAST_WINS),
    );
    expect(unlisted.map(({ name, operationId }) => `${name} ${operationId}`)).toEqual([]);
    expect(
      allOperations
        .filter(isVersioned)
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(VERSIONED_RESOURCES.map(({ operationId }) => operationId).sort());
  });

  it.each(VERSIONED_RESOURCES.map((kind) => [kind.operationId, kind] as const))(
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
      const [firstChange, secondChange] = kind.changes;
      const changeResponse = await change(firstChange, `"${version}"`);
      expect(changeResponse.statusCode, changeResponse.body).toBe(200);
      const savedResource = await kind.read(id);
      expect(savedResource.version).not.toBe(version);
      for (const stale of [`"${version}"`, version, `W/"${version}"`, '""', 'x, y']) {
        const refusal = await change(secondChange, stale);
        expect(refusal.statusCode).toBe(412);
        expect(refusal.json().error.code).toBe('CHANGED_MEANWHILE');
      }
      expect(await kind.read(id)).toEqual(savedResource);
    },
  );

  it.each(VERSIONED_RESOURCES.map((kind) => [kind.operationId, kind] as const))(
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
      const saveResponses = await Promise.all([...kind.changes, ...kind.changes].map(save));
      expect(saveResponses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412, 412, 412]);
      expect((await kind.read(id)).version).not.toBe(version);
    },
  );
});
