import { type Static, Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { META_EVENTS } from '../../../features/webhooks/meta/rules.js';
import { type Webhook, Webhooks, type WebhooksOptions } from '../../../features/webhooks/webhooks.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { WebhookUrl, WebhookVerifyToken } from '../../resources/records/webhook-fields.js';
import { APP_NAME, appIdOf } from '../apps.js';
import { AccountPath, type Endpoints, graphEndpoint } from '../endpoint.js';
import { renameFields } from '../errors.js';
import { channelsOf, type ObjectOptions } from '../objects.js';
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
    id: Type.String({ description: 'The id that `debug_token` has of this token.', examples: ['482913750264817'] }),
    name: Type.String({ examples: [APP_NAME] }),
    link: Type.String(),
  }),
  override_callback_uri: Type.String({ examples: ['https://example.com/webhooks/whatsapp'] }),
});

const read = graphEndpoint('webhooks:read');
const write = graphEndpoint('webhooks:write');

/** Where the fields of a webhook stand in a request of Meta's. */
const NAMES = { url: 'override_callback_uri', verifyToken: 'verify_token' };

export const subscriptionEndpoints: Endpoints<SubscriptionOptions> = async (app, options) => {
  const webhooks = new Webhooks(options);
  /** The webhooks in Meta's format, by the channels of a business account. */
  const ofMeta = async (callers: readonly ChannelCaller[]) =>
    Promise.all(
      callers.map(async (caller) => {
        const all = await webhooks.all(scopeOf(caller));
        return { owner: scopeOf(caller), hooks: all.filter(({ format }) => format === 'meta') };
      }),
    );

  app.get(
    '/:businessAccountId/subscribed_apps',
    read({
      operationId: 'graphListSubscriptions',
      object: 'account',
      summary: 'List the webhooks of a business account',
      description: 'Those in the format `meta` that are enabled, as if each were an app’s.',
      params: AccountPath,
      data: Type.Object({ data: Type.Array(Subscription) }),
    }),
    async (request) => {
      const callers = await channelsOf(options, request, request.params.businessAccountId);
      const enabled = (await ofMeta(callers)).flatMap(({ hooks }) => hooks.filter(({ isActive }) => isActive));
      const app = { id: appIdOf(request.channelKey), name: APP_NAME, link: `${request.protocol}://${request.host}/` };
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
      ...write({
        operationId: 'graphSubscribe',
        object: 'account',
        summary: 'Have messages and statuses of a business account sent to a URL',
        description:
          'With `override_callback_uri` and `verify_token` a webhook in the format `meta` is made of each number, or the one with this URL changed; it is asked by GET first. ' +
          'Without them those that were disabled are enabled.',
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
      const callers = await channelsOf(options, request, request.params.businessAccountId);
      const owned = await ofMeta(callers);
      const wanted = wantedOf(request.body);
      for (const { owner, hooks } of owned) {
        if (wanted) {
          await subscribe(owner, wanted, request.channelKey.keyId).catch((error) => {
            throw error instanceof AppError ? renameFields(error, NAMES) : error;
          });
        } else await setActive(owner, hooks, true);
      }
      return { success: true as const };
    },
  );

  app.delete(
    '/:businessAccountId/subscribed_apps',
    write({
      operationId: 'graphUnsubscribe',
      object: 'account',
      summary: 'Disable the webhooks of a business account',
      description: 'Those in the format `meta`. They stay, and `POST` enables them again.',
      params: AccountPath,
      data: Success,
    }),
    async (request) => {
      const callers = await channelsOf(options, request, request.params.businessAccountId);
      for (const { owner, hooks } of await ofMeta(callers)) await setActive(owner, hooks, false);
      return { success: true as const };
    },
  );

  type Owner = ReturnType<typeof scopeOf>;

  async function subscribe(owner: Owner, { url, verifyToken }: Wanted, keyId: string): Promise<void> {
    const checked = await webhooks.check(owner, { url, verifyToken, format: 'meta', events: [...META_EVENTS] });
    await webhooks.ensureMeta(owner, checked, keyId);
  }

  async function setActive(owner: Owner, hooks: readonly Webhook[], isActive: boolean): Promise<void> {
    for (const { id } of hooks.filter((each) => each.isActive !== isActive)) {
      await webhooks.update(owner, id, await webhooks.checkChanges(owner, id, { isActive }));
    }
  }
};

interface Wanted {
  url: string;
  verifyToken: string;
}

/** @throws {AppError} INVALID_REQUEST for one of both without the other */
function wantedOf({ override_callback_uri: url, verify_token: verifyToken }: Static<typeof Override>): Wanted | null {
  if (url === undefined && verifyToken === undefined) return null;
  if (url === undefined) throw invalidField('override_callback_uri', 'is required where verify_token is sent');
  if (verifyToken === undefined) throw invalidField('verify_token', 'is required where override_callback_uri is sent');
  return { url, verifyToken };
}
