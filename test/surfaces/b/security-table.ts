import type { OperationScope } from '../../../src/accounts/keys.js';
import { buildForm } from '../../support/media/calls.js';
import { buildFile } from '../../support/media/files.js';
import { readBuiltOpenApi } from '../../support/openapi-document.js';
import { type ChannelResources, freshDigits, freshName } from './channel-resources.js';

export interface SecuredRoute {
  /** Method and path as registered in Fastify. */
  route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
  scope: OperationScope;
  /** Maps each path parameter to the owner's resource that it identifies. */
  path?: Record<string, keyof ChannelResources>;
  body?(resources: ChannelResources): object;
  form?: { payload: Buffer; headers: Record<string, string> };
  /** Content type of the file in the response. */
  answersFile?: string;
  /** The resource belongs to the account, so all its channels share it. */
  ofAccount?: true;
  /** Body fields that contain IDs, for which another channel's ID must return 404. */
  bodyIds?: readonly string[];
  /** Query parameters that filter by ID, for which another channel's ID must return no results. */
  queryIds?: Record<string, keyof ChannelResources>;
}

const contactParams = { id: 'contactId' } as const;
const fieldParams = { key: 'fieldKey' } as const;
const tagParams = { tag: 'tag' } as const;
const mediaParams = { id: 'mediaId' } as const;
const groupParams = { groupId: 'groupId' } as const;
const templateParams = { id: 'templateId' } as const;
const pausedCampaignParams = { id: 'pausedCampaignId' } as const;
const automationParams = { id: 'automationId' } as const;
const webhookParams = { id: 'webhookId' } as const;
const audienceParams = { id: 'audienceId' } as const;
const condition = { field: 'tags', operator: 'has', value: 'vip' };

const templateSend = () => ({ to: freshDigits(), templateName: 'hello', language: 'en_US' });
const memberBody = ({ contactId }: ChannelResources) => ({ contactId });
const membersBody = ({ contactId }: ChannelResources) => ({ contactIds: [contactId] });
const automation = ({ groupId }: ChannelResources) => ({
  name: freshName(),
  steps: [{ type: 'add_to_group', groupId }],
});

/** Routes whose entry cannot be derived from the path alone, such as routes with a body. */
const HAND_WRITTEN_ROUTES: readonly SecuredRoute[] = [
  { route: 'POST /api/v1/messages/template', scope: 'messages:send', body: templateSend },
  {
    route: 'POST /api/v1/messages/reply',
    scope: 'messages:send',
    body: ({ phone }) => ({ to: phone, message: 'Hello' }),
  },
  {
    route: 'POST /api/v1/messages/send',
    scope: 'messages:send',
    body: ({ phone }) => ({ to: phone, type: 'text', text: { body: 'Hello' } }),
  },
  {
    route: 'POST /api/v1/messages/read',
    scope: 'messages:send',
    body: () => ({ messageId: 'wamid.x' }),
  },
  {
    route: 'POST /api/v1/conversations/:id/read',
    scope: 'conversations:write',
    path: { id: 'conversationId' },
    body: () => ({}),
  },
  { route: 'POST /api/v1/contacts', scope: 'contacts:write', body: () => ({ phone: freshDigits() }) },
  {
    route: 'POST /api/v1/contacts/imports',
    scope: 'contacts:write',
    body: ({ groupId }) => ({ contacts: [{ phone: freshDigits() }], groupId }),
    bodyIds: ['groupId'],
  },
  { route: 'PUT /api/v1/contacts/:id', scope: 'contacts:write', path: contactParams, body: () => ({ name: 'New' }) },
  {
    route: 'POST /api/v1/contacts/bulk-delete',
    scope: 'contacts:write',
    body: ({ contactId }) => ({ contactIds: [contactId] }),
  },
  { route: 'GET /api/v1/contacts/fields', scope: 'contacts:read', ofAccount: true },
  {
    route: 'POST /api/v1/contacts/fields',
    scope: 'contacts:write',
    body: () => ({ key: freshName(), label: 'Plan', type: 'text' }),
    ofAccount: true,
  },
  {
    route: 'PUT /api/v1/contacts/fields/:key',
    scope: 'contacts:write',
    path: fieldParams,
    body: () => ({ label: 'New' }),
    ofAccount: true,
  },
  { route: 'DELETE /api/v1/contacts/fields/:key', scope: 'contacts:write', path: fieldParams, ofAccount: true },
  { route: 'GET /api/v1/contacts/tags', scope: 'contacts:read', ofAccount: true },
  { route: 'DELETE /api/v1/contacts/tags/:tag', scope: 'contacts:write', path: tagParams, ofAccount: true },
  {
    route: 'POST /api/v1/contacts/bulk-tag',
    scope: 'contacts:write',
    body: ({ contactId }) => ({ contactIds: [contactId], add: ['vip'] }),
  },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/bulk-add',
    scope: 'contacts:write',
    path: groupParams,
    body: membersBody,
    bodyIds: ['contactIds[0]'],
  },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/bulk-remove',
    scope: 'contacts:write',
    path: groupParams,
    body: membersBody,
    bodyIds: ['contactIds[0]'],
  },
  { route: 'POST /api/v1/contacts/groups', scope: 'contacts:write', body: () => ({ name: freshName() }) },
  {
    route: 'PUT /api/v1/contacts/groups/:groupId',
    scope: 'contacts:write',
    path: groupParams,
    body: () => ({ name: freshName() }),
  },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/add',
    scope: 'contacts:write',
    path: groupParams,
    body: memberBody,
    bodyIds: ['contactId'],
  },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/remove',
    scope: 'contacts:write',
    path: groupParams,
    body: memberBody,
    bodyIds: ['contactId'],
  },
  {
    route: 'POST /api/v1/consents',
    scope: 'consent:write',
    body: ({ contactId }) => ({ contactId, purpose: 'marketing', decision: 'granted' }),
    bodyIds: ['contactId'],
  },
  {
    route: 'POST /api/v1/consents/requests',
    scope: 'messages:send',
    body: ({ contactId }) => ({ contactId, purpose: 'marketing', message: 'Reply YES' }),
    bodyIds: ['contactId'],
  },
  { route: 'GET /api/v1/consents', scope: 'consent:read' },
  { route: 'GET /api/v1/consents/contacts/:id', scope: 'consent:read', path: contactParams },
  { route: 'GET /api/v1/audiences', scope: 'contacts:read' },
  { route: 'POST /api/v1/audiences', scope: 'contacts:write', body: () => ({ name: freshName(), condition }) },
  { route: 'POST /api/v1/audiences/preview', scope: 'contacts:read', body: () => ({ condition }) },
  { route: 'GET /api/v1/audiences/:id', scope: 'contacts:read', path: audienceParams },
  {
    route: 'PATCH /api/v1/audiences/:id',
    scope: 'contacts:write',
    path: audienceParams,
    body: () => ({ name: freshName() }),
  },
  { route: 'DELETE /api/v1/audiences/:id', scope: 'contacts:write', path: audienceParams },
  { route: 'POST /api/v1/media', scope: 'media:write', form: buildForm({ bytes: buildFile('image/png') }) },
  { route: 'GET /api/v1/media/:id', scope: 'media:read', path: mediaParams, answersFile: 'image/png' },
  { route: 'DELETE /api/v1/media/:id', scope: 'media:write', path: mediaParams },
  {
    route: 'POST /api/v1/templates',
    scope: 'templates:write',
    body: () => ({
      name: freshName(),
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello' }],
    }),
  },
  {
    route: 'POST /api/v1/templates/examples',
    scope: 'templates:write',
    body: () => ({ data: Buffer.from('%PDF-1.7').toString('base64') }),
  },
  {
    route: 'PUT /api/v1/templates/:id',
    scope: 'templates:write',
    path: templateParams,
    body: () => ({ components: [{ type: 'BODY', text: 'Hello' }] }),
  },
  {
    route: 'POST /api/v1/campaigns',
    scope: 'campaigns:write',
    body: ({ groupId }) => ({ name: freshName(), templateName: 'hello', language: 'en_US', groupId }),
    bodyIds: ['groupId'],
  },
  {
    route: 'GET /api/v1/campaigns/:id/recipients.csv',
    scope: 'campaigns:read',
    path: { id: 'campaignId' },
    answersFile: 'text/csv; charset=utf-8',
  },
  {
    route: 'POST /api/v1/campaigns/estimate',
    scope: 'campaigns:read',
    body: ({ groupId }) => ({ name: freshName(), templateName: 'hello', language: 'en_US', groupId }),
    bodyIds: ['groupId'],
  },
  {
    route: 'PATCH /api/v1/campaigns/:id',
    scope: 'campaigns:write',
    path: { id: 'campaignId' },
    body: ({ groupId }) => ({ groupId }),
    bodyIds: ['groupId'],
  },
  {
    route: 'POST /api/v1/campaigns/:id/test',
    scope: 'campaigns:write',
    path: { id: 'campaignId' },
    body: ({ contactId }) => ({ to: ['15005550111'], contactId }),
    bodyIds: ['contactId'],
  },
  { route: 'POST /api/v1/campaigns/:id/resume', scope: 'campaigns:write', path: pausedCampaignParams },
  { route: 'POST /api/v1/automations', scope: 'automations:write', body: automation, bodyIds: ['steps[0].groupId'] },
  {
    route: 'PUT /api/v1/automations/:id',
    scope: 'automations:write',
    path: automationParams,
    body: automation,
    bodyIds: ['steps[0].groupId'],
  },
  {
    route: 'POST /api/v1/automations/:id/trigger',
    scope: 'automations:write',
    path: automationParams,
    body: ({ contactId }) => ({ contactId, concurrent: true }),
    bodyIds: ['contactId'],
  },
  {
    route: 'POST /api/v1/webhooks',
    scope: 'webhooks:write',
    body: () => ({ url: 'https://hooks.example.com/new', events: ['contact.updated'] }),
  },
  {
    route: 'PUT /api/v1/webhooks/:id',
    scope: 'webhooks:write',
    path: webhookParams,
    body: () => ({ events: ['message.received'] }),
  },
  {
    route: 'POST /simulator/v1/inbound',
    scope: 'simulator:write',
    body: () => ({ from: freshDigits(), text: 'Hello' }),
  },
];

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: object;
}

/** Derives scope and IDs from a path, for example `contacts:read` and `importId` from `GET /api/v1/contacts/imports/:id`. */
function readFromPath(route: SecuredRoute['route'], { parameters = [] }: Operation): SecuredRoute {
  const [method, path = ''] = route.split(' ');
  const [, , , resource, ...steps] = path.split('/');
  const names = [resource, ...steps].flatMap((step, index, allSteps) => {
    if (!step?.startsWith(':')) return [];
    return [[step.slice(1), step === ':id' ? `${allSteps[index - 1]?.slice(0, -1)}Id` : step.slice(1)]];
  });
  const filters = parameters
    .filter((parameter) => parameter.in === 'query' && /Id$/.test(parameter.name))
    .map(({ name }) => [name, name]);
  return {
    route,
    scope: `${resource}:${method === 'GET' ? 'read' : 'write'}` as OperationScope,
    ...(names.length > 0 && { path: Object.fromEntries(names) }),
    ...(filters.length > 0 && { queryIds: Object.fromEntries(filters) }),
  };
}

function readDocument(): SecuredRoute[] {
  const { paths } = readBuiltOpenApi<{ paths: Record<string, Record<string, Operation>> }>();
  return Object.entries(paths)
    .filter(([path]) => /^\/(api|simulator)\//.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}` as SecuredRoute['route'];
        if (operation.requestBody && !HAND_WRITTEN_ROUTES.some((handWritten) => handWritten.route === route)) {
          throw new Error(`${route} is sent a body: name one that is accepted in test/surfaces/b/security-table.ts`);
        }
        return readFromPath(route, operation);
      }),
    );
}

/**
 * Secured routes from the OpenAPI document. The test endpoints-security.http.test.ts fails if a registered route is missing.
 */
export const SECURED_ROUTES: readonly SecuredRoute[] = [
  ...readDocument().filter(({ route }) => !HAND_WRITTEN_ROUTES.some((handWritten) => handWritten.route === route)),
  ...HAND_WRITTEN_ROUTES,
];
