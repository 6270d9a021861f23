import type { OperationScope } from '../../../src/accounts/keys.js';
import { type Belongings, freshDigits, freshName } from './belongings.js';

/** A route of Surface B, and a request that its owner may make. */
export interface SecuredRoute {
  /** Method and path as it is registered. */
  route: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`;
  scope: OperationScope;
  /** Which of its owner's things each parameter of the path names. */
  path?: Record<string, keyof Belongings>;
  /** A body that is accepted. */
  body?(own: Belongings): object;
  /** Fields of the body that hold an id: with another channel's they are 404. */
  bodyIds?: readonly string[];
  /** Filters that hold an id: with another channel's they find nothing. */
  queryIds?: Record<string, keyof Belongings>;
}

const ofContact = { id: 'contactId' } as const;
const ofGroup = { groupId: 'groupId' } as const;
const ofTemplate = { id: 'templateId' } as const;
const ofCampaign = { id: 'campaignId' } as const;
const ofPausedCampaign = { id: 'pausedCampaignId' } as const;
const ofAutomation = { id: 'automationId' } as const;
const ofWebhook = { id: 'webhookId' } as const;

const send = () => ({ to: freshDigits(), templateName: 'hello', language: 'en_US' });
const member = ({ contactId }: Belongings) => ({ contactId });
const members = ({ contactId }: Belongings) => ({ contactIds: [contactId] });
const automation = ({ groupId }: Belongings) => ({
  name: freshName(),
  steps: [{ type: 'add_to_group', groupId }],
});

/**
 * Every route of Surface B. test/surfaces/b/endpoints-security.http.test.ts walks it, and fails when a registered route is not
 * in it.
 */
export const SECURED_ROUTES: readonly SecuredRoute[] = [
  { route: 'POST /api/v1/messages/template', scope: 'messages:send', body: send },
  {
    route: 'POST /api/v1/messages/reply',
    scope: 'messages:send',
    body: ({ phone }) => ({ to: phone, message: 'Hello' }),
  },
  { route: 'GET /api/v1/messages/status/:messageId', scope: 'messages:read', path: { messageId: 'messageId' } },

  { route: 'GET /api/v1/conversations', scope: 'conversations:read' },
  { route: 'GET /api/v1/conversations/:id', scope: 'conversations:read', path: { id: 'conversationId' } },
  {
    route: 'POST /api/v1/conversations/:id/read',
    scope: 'conversations:write',
    path: { id: 'conversationId' },
    body: () => ({}),
  },
  { route: 'GET /api/v1/conversations/:id/messages', scope: 'conversations:read', path: { id: 'conversationId' } },

  { route: 'GET /api/v1/contacts', scope: 'contacts:read', queryIds: { groupId: 'groupId' } },
  { route: 'POST /api/v1/contacts', scope: 'contacts:write', body: () => ({ phone: freshDigits() }) },
  {
    route: 'POST /api/v1/contacts/imports',
    scope: 'contacts:write',
    body: ({ groupId }) => ({ contacts: [{ phone: freshDigits() }], groupId }),
    bodyIds: ['groupId'],
  },
  { route: 'GET /api/v1/contacts/imports/:id', scope: 'contacts:read', path: { id: 'importId' } },
  { route: 'GET /api/v1/contacts/:id', scope: 'contacts:read', path: ofContact },
  { route: 'PUT /api/v1/contacts/:id', scope: 'contacts:write', path: ofContact, body: () => ({ name: 'New' }) },
  { route: 'DELETE /api/v1/contacts/:id', scope: 'contacts:write', path: ofContact },
  {
    route: 'POST /api/v1/contacts/bulk-delete',
    scope: 'contacts:write',
    body: ({ contactId }) => ({ contactIds: [contactId] }),
  },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/bulk-add',
    scope: 'contacts:write',
    path: ofGroup,
    body: members,
    bodyIds: ['contactIds[0]'],
  },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/bulk-remove',
    scope: 'contacts:write',
    path: ofGroup,
    body: members,
    bodyIds: ['contactIds[0]'],
  },
  { route: 'GET /api/v1/contacts/groups', scope: 'contacts:read' },
  { route: 'POST /api/v1/contacts/groups', scope: 'contacts:write', body: () => ({ name: freshName() }) },
  { route: 'GET /api/v1/contacts/groups/:groupId', scope: 'contacts:read', path: ofGroup },
  {
    route: 'PUT /api/v1/contacts/groups/:groupId',
    scope: 'contacts:write',
    path: ofGroup,
    body: () => ({ name: freshName() }),
  },
  { route: 'DELETE /api/v1/contacts/groups/:groupId', scope: 'contacts:write', path: ofGroup },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/add',
    scope: 'contacts:write',
    path: ofGroup,
    body: member,
    bodyIds: ['contactId'],
  },
  {
    route: 'POST /api/v1/contacts/groups/:groupId/remove',
    scope: 'contacts:write',
    path: ofGroup,
    body: member,
    bodyIds: ['contactId'],
  },

  { route: 'GET /api/v1/templates', scope: 'templates:read' },
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
    route: 'PUT /api/v1/templates/:id',
    scope: 'templates:write',
    path: ofTemplate,
    body: () => ({ components: [{ type: 'BODY', text: 'Hello' }] }),
  },
  { route: 'DELETE /api/v1/templates/:id', scope: 'templates:write', path: ofTemplate },
  { route: 'POST /api/v1/templates/sync', scope: 'templates:write' },

  { route: 'GET /api/v1/campaigns', scope: 'campaigns:read' },
  {
    route: 'POST /api/v1/campaigns',
    scope: 'campaigns:write',
    body: ({ groupId }) => ({ name: freshName(), templateName: 'hello', language: 'en_US', groupId }),
    bodyIds: ['groupId'],
  },
  { route: 'GET /api/v1/campaigns/:id', scope: 'campaigns:read', path: ofCampaign },
  { route: 'GET /api/v1/campaigns/:id/messages', scope: 'campaigns:read', path: ofCampaign },
  { route: 'POST /api/v1/campaigns/:id/pause', scope: 'campaigns:write', path: ofCampaign },
  { route: 'POST /api/v1/campaigns/:id/resume', scope: 'campaigns:write', path: ofPausedCampaign },
  { route: 'POST /api/v1/campaigns/:id/cancel', scope: 'campaigns:write', path: ofCampaign },

  { route: 'GET /api/v1/automations', scope: 'automations:read' },
  { route: 'POST /api/v1/automations', scope: 'automations:write', body: automation, bodyIds: ['steps[0].groupId'] },
  { route: 'GET /api/v1/automations/:id', scope: 'automations:read', path: ofAutomation },
  {
    route: 'PUT /api/v1/automations/:id',
    scope: 'automations:write',
    path: ofAutomation,
    body: automation,
    bodyIds: ['steps[0].groupId'],
  },
  { route: 'DELETE /api/v1/automations/:id', scope: 'automations:write', path: ofAutomation },
  {
    route: 'POST /api/v1/automations/:id/trigger',
    scope: 'automations:write',
    path: ofAutomation,
    body: ({ contactId }) => ({ contactId, concurrent: true }),
    bodyIds: ['contactId'],
  },
  { route: 'GET /api/v1/automations/:id/runs', scope: 'automations:read', path: ofAutomation },
  {
    route: 'POST /api/v1/automations/:id/runs/:runId/cancel',
    scope: 'automations:write',
    path: { ...ofAutomation, runId: 'runId' },
  },

  { route: 'GET /api/v1/webhooks', scope: 'webhooks:read' },
  {
    route: 'POST /api/v1/webhooks',
    scope: 'webhooks:write',
    body: () => ({ url: 'https://hooks.example.com/new', events: ['contact.updated'] }),
  },
  { route: 'GET /api/v1/webhooks/:id', scope: 'webhooks:read', path: ofWebhook },
  {
    route: 'PUT /api/v1/webhooks/:id',
    scope: 'webhooks:write',
    path: ofWebhook,
    body: () => ({ events: ['message.received'] }),
  },
  { route: 'DELETE /api/v1/webhooks/:id', scope: 'webhooks:write', path: ofWebhook },
  { route: 'POST /api/v1/webhooks/:id/test', scope: 'webhooks:write', path: ofWebhook },
  { route: 'POST /api/v1/webhooks/:id/rotate-secret', scope: 'webhooks:write', path: ofWebhook },
  { route: 'GET /api/v1/webhooks/:id/deliveries', scope: 'webhooks:read', path: ofWebhook },
  {
    route: 'POST /api/v1/webhooks/:id/deliveries/:deliveryId/replay',
    scope: 'webhooks:write',
    path: { ...ofWebhook, deliveryId: 'deliveryId' },
  },

  { route: 'GET /api/v1/account', scope: 'account:read' },
  { route: 'GET /api/v1/account/usage', scope: 'account:read' },

  {
    route: 'POST /simulator/v1/inbound',
    scope: 'simulator:write',
    body: () => ({ from: freshDigits(), text: 'Hello' }),
  },
];
