import type { FastifyInstance } from 'fastify';
import type { ChannelAuthenticator } from '../../accounts/channel-authenticator.js';
import { useErrorShape } from '../http/errors.js';
import { limitKeys } from '../http/limits/surface-limits.js';
import type { ChannelSurfaceOptions } from '../resources/callers/channel-surface.js';
import { countUsage } from '../resources/callers/count-usage.js';
import { channelAuth } from './channel-auth.js';
import { dropEmptyFilters } from './empty-filters.js';
import type { Endpoints } from './endpoint.js';
import { type AccountOptions, accountEndpoints } from './endpoints/account.js';
import { type AudienceOptions, audienceEndpoints } from './endpoints/audiences.js';
import { type AutomationOptions, automationEndpoints } from './endpoints/automations.js';
import { type CampaignResultsOptions, campaignResultEndpoints } from './endpoints/campaign-results.js';
import { type CampaignTestOptions, campaignTestEndpoints } from './endpoints/campaign-tests.js';
import { type CampaignOptions, campaignEndpoints } from './endpoints/campaigns.js';
import { type ConsentRequestOptions, consentRequestEndpoints } from './endpoints/consent-requests.js';
import { type ConsentOptions, consentEndpoints } from './endpoints/consents.js';
import { type ContactFieldOptions, contactFieldEndpoints } from './endpoints/contact-fields.js';
import { type ContactOptions, contactEndpoints } from './endpoints/contacts.js';
import { type ConversationOptions, conversationEndpoints } from './endpoints/conversations.js';
import { type GroupOptions, groupEndpoints } from './endpoints/groups.js';
import { type ImportOptions, importEndpoints } from './endpoints/imports.js';
import { type LinkOptions, linkEndpoints } from './endpoints/links.js';
import { type MediaEndpointOptions, mediaEndpoints } from './endpoints/media.js';
import { type MessageOptions, messageEndpoints } from './endpoints/messages.js';
import { type SimulatorOptions, simulatorEndpoints } from './endpoints/simulator.js';
import { type TemplateOptions, templateEndpoints } from './endpoints/templates.js';
import { type WebhookOptions, webhookEndpoints } from './endpoints/webhooks.js';
import { renderSurfaceB } from './errors.js';
import { impliedSchema } from './implied-schema.js';
import { putWithoutBody } from './put-without-body.js';

type EndpointOptions = MessageOptions &
  LinkOptions &
  MediaEndpointOptions &
  ConversationOptions &
  ContactOptions &
  ConsentOptions &
  ConsentRequestOptions &
  ContactFieldOptions &
  ImportOptions &
  GroupOptions &
  AudienceOptions &
  TemplateOptions &
  CampaignOptions &
  CampaignResultsOptions &
  CampaignTestOptions &
  AutomationOptions &
  WebhookOptions &
  AccountOptions &
  SimulatorOptions;

const RESOURCES: readonly Endpoints<EndpointOptions>[] = [
  messageEndpoints,
  linkEndpoints,
  conversationEndpoints,
  contactEndpoints,
  consentEndpoints,
  consentRequestEndpoints,
  contactFieldEndpoints,
  importEndpoints,
  groupEndpoints,
  audienceEndpoints,
  mediaEndpoints,
  templateEndpoints,
  campaignEndpoints,
  campaignResultEndpoints,
  campaignTestEndpoints,
  automationEndpoints,
  webhookEndpoints,
  accountEndpoints,
];

const SIMULATOR: readonly Endpoints<EndpointOptions>[] = [simulatorEndpoints];

export interface SurfaceBOptions extends ChannelSurfaceOptions<EndpointOptions> {
  authenticator: Pick<ChannelAuthenticator, 'find'>;
}

export async function surfaceB(app: FastifyInstance, options: SurfaceBOptions): Promise<void> {
  const { authenticator, usage, clock, endpoints } = options;
  await limitKeys(app, options, (request) => request.caller.keyId);

  const registerBelow = (prefix: string, resources: readonly Endpoints<EndpointOptions>[]) =>
    app.register(
      async (publicScope) => {
        useErrorShape(publicScope, renderSurfaceB, options);
        publicScope.register(async (authenticated) => {
          await authenticated.register(countUsage, { usage, clock });
          await authenticated.register(channelAuth, { authenticator });
          await authenticated.register(impliedSchema);
          await authenticated.register(putWithoutBody);
          authenticated.addHook('preValidation', dropEmptyFilters);
          // A successful change may have created events for webhooks.
          authenticated.addHook('onResponse', (request, reply, done) => {
            if (request.method !== 'GET' && reply.statusCode < 400) {
              options.wakeDeliverer();
              options.onChange(request.caller.account.id);
            }
            done();
          });
          for (const resource of resources) authenticated.register(resource, endpoints);
        });
      },
      { prefix },
    );

  registerBelow('/api/v1', RESOURCES);
  registerBelow('/simulator/v1', SIMULATOR);
}
