import { type Static, Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { META_EVENTS } from '../../../features/webhooks/meta/rules.js';
import { type Webhook, Webhooks, type WebhooksOptions } from '../../../features/webhooks/webhooks.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { WebhookUrl, WebhookVerifyToken } from '../../resources/records/webhook-fields.js';
import { APP_NAME, toAppId } from '../apps.js';
import { AccountPath, type Endpoints, graphEndpoint } from '../endpoint.js';
import { renameFields } from '../errors.js';
import { findAccountChannels, type ObjectOptions } from '../objects.js';
import { Success } from './message-schemas.js';

export type SubscriptionOptions = ObjectOptions & WebhooksOptions;

const Override = Type.Object(
  {
    override_callback_uri: Type.Optional(WebhookUrl),
    verify_token: Type.Optional(WebhookVerifyToken),
  },
  { examples: [{ override_callback_uri: 'https://example.com/webhooks/whatsapp', verify_token: 'a-word-of-yours' }] },
);

const Subscription = Type.Object({
  whatsapp_business_api_data: Type.Object({
    id: Type.String({
      description: 'The app ID that `debug_token` returns for this token.',
      examples: ['482913750264817'],
    }),
    name: Type.String({ examples: [APP_NAME] }),
    link: Type.String(),
  }),
  override_callback_uri: Type.String({ examples: ['https://example.com/webhooks/whatsapp'] }),
});

const readEndpoint = graphEndpoint('webhooks:read');
const writeEndpoint = graphEndpoint('webhooks:write');

const FIELD_NAMES = { url: 'override_callback_uri', verifyToken: 'verify_token' };

export const subscriptionEndpoints: Endpoints<SubscriptionOptions> = async (app, options) => {
  const webhooks = new Webhooks(options);
  const findMetaWebhooks = async (callers: readonly ChannelCaller[]) =>
    Promise.all(
      callers.map(async (caller) => {
        const list = await webhooks.listAll(channelScope(caller));
        return { owner: channelScope(caller), hooks: list.filter(({ format }) => format === 'meta') };
      }),
    );

  app.get(
    '/:businessAccountId/subscribed_apps',
    readEndpoint({
      operationId: 'graphListSubscriptions',
      object: 'account',
      summary: 'List the webhooks of a business account',
      description: 'Enabled webhooks in the format `meta`, each listed as an app.',
      params: AccountPath,
      data: Type.Object({ data: Type.Array(Subscription) }),
    }),
    async (request) => {
      const callers = await findAccountChannels(options, request, request.params.businessAccountId);
      const enabled = (await findMetaWebhooks(callers)).flatMap(({ hooks }) =>
        hooks.filter(({ isActive }) => isActive),
      );
      const app = { id: toAppId(request.channelKey), name: APP_NAME, link: `${request.protocol}://${request.host}/` };
      return {
        data: [...new Set(enabled.map(({ url }) => url))].map((url) => ({
          whatsapp_business_api_data: app,
          override_callback_uri: url,
        })),
      };
    },
  );

  app.post(
    '/:businessAccountId/subscribed_apps',
    {
      ...writeEndpoint({
        operationId: 'graphSubscribe',
        object: 'account',
        summary: 'Create or enable webhooks for a business account',
        description:
          'With `override_callback_uri` and `verify_token`, verifies the URL with a GET request, and then creates a webhook in the format `meta` for every phone number, or updates the existing one with this URL. ' +
          'Without these fields, enables existing webhooks.',
        params: AccountPath,
        body: Override,
        optionalBody: true,
        data: Success,
        errors: [],
      }),
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    async (request) => {
      const callers = await findAccountChannels(options, request, request.params.businessAccountId);
      const metaWebhooks = await findMetaWebhooks(callers);
      const override = readOverride(request.body);
      for (const { owner, hooks } of metaWebhooks) {
        if (override) {
          await subscribe(owner, override, request.channelKey.keyId).catch((error) => {
            throw error instanceof AppError ? renameFields(error, FIELD_NAMES) : error;
          });
        } else await setActive(owner, hooks, true);
      }
      return { success: true as const };
    },
  );

  app.delete(
    '/:businessAccountId/subscribed_apps',
    writeEndpoint({
      operationId: 'graphUnsubscribe',
      object: 'account',
      summary: 'Disable the webhooks of a business account',
      description: 'Disables only webhooks in the format `meta`. `POST` enables them again.',
      params: AccountPath,
      data: Success,
    }),
    async (request) => {
      const callers = await findAccountChannels(options, request, request.params.businessAccountId);
      for (const { owner, hooks } of await findMetaWebhooks(callers)) await setActive(owner, hooks, false);
      return { success: true as const };
    },
  );

  type Owner = ReturnType<typeof channelScope>;

  async function subscribe(owner: Owner, { url, verifyToken }: CallbackOverride, keyId: string): Promise<void> {
    const checked = await webhooks.check(owner, { url, verifyToken, format: 'meta', events: [...META_EVENTS] });
    await webhooks.ensureMeta(owner, checked, keyId);
  }

  async function setActive(owner: Owner, hooks: readonly Webhook[], isActive: boolean): Promise<void> {
    for (const { id } of hooks.filter((hook) => hook.isActive !== isActive)) {
      await webhooks.update(owner, id, await webhooks.checkChanges(owner, id, { isActive }));
    }
  }
};

interface CallbackOverride {
  url: string;
  verifyToken: string;
}

function readOverride({
  override_callback_uri: url,
  verify_token: verifyToken,
}: Static<typeof Override>): CallbackOverride | null {
  if (url === undefined && verifyToken === undefined) return null;
  if (url === undefined) throw invalidField('override_callback_uri', 'is required if verify_token is sent');
  if (verifyToken === undefined) throw invalidField('verify_token', 'is required if override_callback_uri is sent');
  return { url, verifyToken };
}
