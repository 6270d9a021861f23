import cookie from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { type ErrorOptions, useErrorShape } from '../http/errors.js';
import { type Endpoints, impliedSchema } from './endpoint.js';
import { type ChannelsOptions, channelEndpoints } from './endpoints/account-settings/channels.js';
import { type GuardOptions, guardEndpoints } from './endpoints/account-settings/guard.js';
import { ledgerEndpoints } from './endpoints/account-settings/ledger.js';
import { type LinkSettingsOptions, linkSettingsEndpoints } from './endpoints/account-settings/links.js';
import { accountSettingsEndpoints, type SettingsOptions } from './endpoints/account-settings/settings.js';
import { type SignInOptions, signInEndpoints } from './endpoints/account-settings/sign-in.js';
import { cancelWaitingEndpoints, type WaitingOptions } from './endpoints/account-settings/waiting.js';
import { type AccountsOptions, accountEndpoints } from './endpoints/accounts/accounts.js';
import { type KeyOptions, keyEndpoints } from './endpoints/accounts/keys.js';
import { type AuditOptions, auditEndpoints } from './endpoints/audit.js';
import { type AutomationsOptions, automationEndpoints } from './endpoints/automations.js';
import { type CampaignsOptions, campaignEndpoints } from './endpoints/campaigns.js';
import { type ConversationsOptions, conversationEndpoints } from './endpoints/inbox/conversations.js';
import { type ConsoleMediaOptions, mediaEndpoints } from './endpoints/inbox/media.js';
import { type SendsOptions, sendEndpoints } from './endpoints/inbox/sends.js';
import { carrierEndpoints } from './endpoints/installation/carriers.js';
import { rateEndpoints } from './endpoints/installation/rates.js';
import { routeEndpoints } from './endpoints/installation/routes.js';
import { type LiveOptions, liveEndpoints } from './endpoints/live/live.js';
import { type InboundEndpointOptions, inboundEndpoints } from './endpoints/messages/inbound.js';
import { type MessagesOptions, messageEndpoints } from './endpoints/messages/messages.js';
import { confirmEndpoints, type OwnConfirmOptions } from './endpoints/operators/confirm.js';
import { type MeOptions, meEndpoints } from './endpoints/operators/me.js';
import { type MemberOptions, memberEndpoints } from './endpoints/operators/members.js';
import { type OidcOptions, oidcEndpoints } from './endpoints/operators/oidc.js';
import { type OperatorOptions, operatorEndpoints } from './endpoints/operators/operators.js';
import { type OverviewEndpointOptions, overviewEndpoints } from './endpoints/overview.js';
import { type PeopleOptions, peopleEndpoints } from './endpoints/people/people.js';
import { type SessionOptions, sessionEndpoints } from './endpoints/session.js';
import { type TemplatesOptions, templateEndpoints } from './endpoints/templates.js';
import { type WebhookEndpointsOptions, webhookEndpoints } from './endpoints/webhooks.js';
import { renderAdmin } from './errors.js';
import { sameOrigin } from './same-origin.js';
import { type SessionAuthOptions, sessionAuth } from './session-auth.js';
import { versionsChecked } from './versions.js';

type EndpointOptions = SessionOptions &
  OwnConfirmOptions &
  MeOptions &
  OidcOptions &
  AccountsOptions &
  KeyOptions &
  MemberOptions &
  MessagesOptions &
  InboundEndpointOptions &
  ChannelsOptions &
  ConversationsOptions &
  WaitingOptions &
  GuardOptions &
  SettingsOptions &
  LinkSettingsOptions &
  SignInOptions &
  SendsOptions &
  ConsoleMediaOptions &
  TemplatesOptions &
  CampaignsOptions &
  AutomationsOptions &
  WebhookEndpointsOptions &
  PeopleOptions &
  OperatorOptions &
  AuditOptions &
  OverviewEndpointOptions &
  LiveOptions;

const RESOURCES: readonly Endpoints<EndpointOptions>[] = [
  sessionEndpoints,
  confirmEndpoints,
  meEndpoints,
  oidcEndpoints,
  accountEndpoints,
  keyEndpoints,
  memberEndpoints,
  messageEndpoints,
  inboundEndpoints,
  accountSettingsEndpoints,
  guardEndpoints,
  cancelWaitingEndpoints,
  ledgerEndpoints,
  linkSettingsEndpoints,
  channelEndpoints,
  signInEndpoints,
  conversationEndpoints,
  sendEndpoints,
  mediaEndpoints,
  templateEndpoints,
  campaignEndpoints,
  automationEndpoints,
  webhookEndpoints,
  peopleEndpoints,
  operatorEndpoints,
  auditEndpoints,
  overviewEndpoints,
  liveEndpoints,
  carrierEndpoints,
  routeEndpoints,
  rateEndpoints,
];

export interface AdminOptions extends ErrorOptions {
  auth: SessionAuthOptions;
  /** Called when a request may have changed data of the account, or of the installation if the ID is null. */
  onChange(accountId: string | null): void;
  endpoints: EndpointOptions;
}

export async function admin(app: FastifyInstance, options: AdminOptions): Promise<void> {
  // Unknown paths get 404 even without a session, so sessions are checked only in an inner context.
  await app.register(
    async (publicScope) => {
      useErrorShape(publicScope, renderAdmin, options);
      publicScope.register(async (authenticated) => {
        await authenticated.register(cookie);
        await authenticated.register(sameOrigin);
        await authenticated.register(sessionAuth, options.auth);
        await authenticated.register(impliedSchema);
        await authenticated.register(versionsChecked);
        authenticated.addHook('onResponse', (request, reply, done) => {
          if (request.method !== 'GET' && reply.statusCode < 400) options.onChange(request.account?.id ?? null);
          done();
        });
        for (const resource of RESOURCES) authenticated.register(resource, options.endpoints);
      });
    },
    { prefix: '/admin/v1' },
  );
}
