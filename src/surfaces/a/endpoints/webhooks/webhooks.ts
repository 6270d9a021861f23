import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { Credential } from '../../../../accounts/authenticator.js';
import { DeliveryLog, type DeliveryLogOptions } from '../../../../features/webhooks/delivery-log.js';
import {
  MAX_WEBHOOKS,
  type WebhookOwner,
  Webhooks,
  type WebhooksOptions,
  webhookNotFound,
} from '../../../../features/webhooks/webhooks.js';
import { invalidField, notFound } from '../../../../platform/errors/app-error.js';
import { isUuid } from '../../../../platform/ids.js';
import { PathId } from '../../../http/ids.js';
import { answerPage, cursorPage, pageAnswer, pageQuery } from '../../cursor-page.js';
import { EXTENSION, NO_BODY } from '../extension.js';
import { errorsV2, READ_ERRORS } from '../v1-schemas.js';
import {
  answer,
  answerSchema,
  DeliveryView,
  deliveryView,
  WebhookBody,
  WebhookChanges,
  WebhookView,
  WebhookViewWithSecret,
  webhookView,
} from './webhook-view.js';

const WebhookPath = Type.Object({ webhook_id: PathId });
const DeliveryPath = Type.Object({ webhook_id: PathId, delivery_id: PathId });
const DeletedWebhook = Type.Object({ id: Type.String({ format: 'uuid' }) });
const NOT_WITH_STANDARD = 'must not be sent if format is standard';
const BODY_ERRORS = [413, 415] as const;

export type AccountWebhookOptions = WebhooksOptions & DeliveryLogOptions;

/** Registers the endpoints for webhooks of the whole account, which every app of the account can see. */
export const endpointsWebhooks: FastifyPluginAsyncTypebox<AccountWebhookOptions> = async (app, options) => {
  const webhooks = new Webhooks(options);
  const deliveries = new DeliveryLog(options);
  const common = { tags: ['Account webhooks'], security: [{ bearer: [] }] };

  app.post(
    '',
    {
      schema: {
        ...common,
        operationId: 'createAccountWebhook',
        summary: 'Create a webhook for events of the account',
        description:
          `${EXTENSION} \`message.status\` covers messages sent through Surface A by SMS or WhatsApp; ` +
          '`message.received` covers messages to any channel of the account. Deliveries follow Standard Webhooks ' +
          `(https://www.standardwebhooks.com). 409 if the account already has ${MAX_WEBHOOKS}.`,
        body: WebhookBody,
        response: { 200: answerSchema(WebhookViewWithSecret), ...errorsV2([...READ_ERRORS, 409, ...BODY_ERRORS]) },
      },
    },
    async ({ body: { url, events, format, auth_token: authToken }, credential }) => {
      const owner = toOwner(credential);
      if (authToken !== undefined && format !== 'twilio') throw invalidField('auth_token', NOT_WITH_STANDARD);
      const checked = await webhooks.check(owner, { url, events, format, authToken });
      const { secret, ...webhook } = await webhooks.create(owner, checked, credential.keyId);
      return answer('The webhook was created.', { ...webhookView(webhook), secret });
    },
  );

  app.get(
    '',
    {
      schema: {
        ...common,
        operationId: 'listAccountWebhooks',
        summary: 'List the webhooks of the account, newest first',
        description: `${EXTENSION} Not paginated: an account has at most ${MAX_WEBHOOKS}.`,
        response: { 200: answerSchema(Type.Array(WebhookView)), ...errorsV2(READ_ERRORS) },
      },
    },
    async ({ credential }) => {
      const list = await webhooks.listAll(toOwner(credential));
      return answer(list.length === 1 ? '1 webhook.' : `${list.length} webhooks.`, list.map(webhookView));
    },
  );

  app.get(
    '/:webhook_id',
    {
      schema: {
        ...common,
        operationId: 'getAccountWebhook',
        summary: 'Get a webhook of the account',
        description: EXTENSION,
        params: WebhookPath,
        response: { 200: answerSchema(WebhookView), ...errorsV2([...READ_ERRORS, 404]) },
      },
    },
    async ({ params, credential }) => {
      const webhook = await webhooks.get(toOwner(credential), readWebhookId(params));
      return answer(describeState(webhook), webhookView(webhook));
    },
  );

  app.put(
    '/:webhook_id',
    {
      config: { optionalBody: true },
      preValidation: (request, _reply, done) => {
        if (request.body === undefined) request.body = {};
        done();
      },
      schema: {
        ...common,
        operationId: 'updateAccountWebhook',
        summary: 'Change, disable or enable a webhook of the account',
        description: `${EXTENSION} Absent fields stay unchanged. Events that occurred while a webhook was disabled are not delivered later.`,
        params: WebhookPath,
        body: WebhookChanges,
        response: { 200: answerSchema(WebhookView), ...errorsV2([...READ_ERRORS, 404, ...BODY_ERRORS]) },
      },
    },
    async ({ params, body: { url, events, is_active: isActive }, credential }) => {
      const [owner, id] = [toOwner(credential), readWebhookId(params)];
      const checked = await webhooks.checkChanges(owner, id, { url, events, isActive });
      const webhook = await webhooks.update(owner, id, checked, credential.keyId);
      return answer(describeState(webhook), webhookView(webhook));
    },
  );

  app.delete(
    '/:webhook_id',
    {
      schema: {
        ...common,
        operationId: 'deleteAccountWebhook',
        summary: 'Delete a webhook of the account',
        description: `${EXTENSION} Pending deliveries are dropped.`,
        params: WebhookPath,
        response: { 200: answerSchema(DeletedWebhook), ...errorsV2([...READ_ERRORS, 404, ...BODY_ERRORS]) },
      },
    },
    async ({ params, credential }) => {
      const id = readWebhookId(params);
      await webhooks.delete(toOwner(credential), id);
      return answer('The webhook was deleted.', { id });
    },
  );

  app.post(
    '/:webhook_id/test',
    {
      schema: {
        ...common,
        operationId: 'testAccountWebhook',
        summary: 'Send an event of type webhook.test to an account webhook',
        description: `${EXTENSION} Responds immediately; see the list of deliveries for the result. 409 if the webhook is disabled. ${NO_BODY}`,
        params: WebhookPath,
        response: { 200: answerSchema(DeliveryView), ...errorsV2([...READ_ERRORS, 404, 409, ...BODY_ERRORS]) },
      },
    },
    async ({ params, credential }) =>
      answer('The event is queued.', deliveryView(await deliveries.test(toOwner(credential), readWebhookId(params)))),
  );

  app.post(
    '/:webhook_id/rotate-secret',
    {
      schema: {
        ...common,
        operationId: 'rotateAccountWebhookSecret',
        summary: 'Replace the secret of a webhook of the account',
        description: `${EXTENSION} For 24 hours, deliveries are signed with both the new and the previous secret. ${NO_BODY}`,
        params: WebhookPath,
        response: { 200: answerSchema(WebhookViewWithSecret), ...errorsV2([...READ_ERRORS, 404, ...BODY_ERRORS]) },
      },
    },
    async ({ params, credential }) => {
      const { secret, ...webhook } = await webhooks.rotateSecret(toOwner(credential), readWebhookId(params));
      return answer('The secret was replaced.', { ...webhookView(webhook), secret });
    },
  );

  app.get(
    '/:webhook_id/deliveries',
    {
      schema: {
        ...common,
        operationId: 'listAccountWebhookDeliveries',
        summary: 'List the deliveries of a webhook of the account, newest first',
        description: `${EXTENSION} Deliveries are kept for 30 days with their bodies.`,
        params: WebhookPath,
        querystring: pageQuery({
          status: Type.Optional(
            Type.String({
              description: 'In upper or lower case; an unknown status matches nothing.',
              examples: ['failed'],
            }),
          ),
        }),
        response: { 200: pageAnswer(DeliveryView), ...errorsV2([...READ_ERRORS, 404]) },
      },
    },
    async ({ params, query, credential }) => {
      const page = cursorPage(query);
      const filter = { status: query.status || undefined, ...page };
      const entries = await deliveries.listBefore(toOwner(credential), readWebhookId(params), filter);
      return answerPage(entries.map(deliveryView), entries.length < page.limit ? null : (entries.at(-1)?.id ?? null));
    },
  );

  app.post(
    '/:webhook_id/deliveries/:delivery_id/replay',
    {
      schema: {
        ...common,
        operationId: 'replayAccountWebhookDelivery',
        summary: 'Send a delivery of an account webhook again',
        description:
          `${EXTENSION} Sends the same body with the same \`webhook-id\`. A delivery that waits for its next attempt is sent now. ` +
          `409 if the webhook is disabled. ${NO_BODY}`,
        params: DeliveryPath,
        response: { 200: answerSchema(DeliveryView), ...errorsV2([...READ_ERRORS, 404, 409, ...BODY_ERRORS]) },
      },
    },
    async ({ params, credential }) => {
      const id = readWebhookId(params);
      if (!isUuid(params.delivery_id)) throw notFound('delivery');
      const delivery = await deliveries.replay(toOwner(credential), id, params.delivery_id);
      return answer('The delivery is queued again.', deliveryView(delivery));
    },
  );
};

function toOwner({ account }: Credential): WebhookOwner {
  return { accountId: account.id, channelId: null };
}

/** @throws {AppError} NOT_FOUND if the ID is malformed */
function readWebhookId({ webhook_id }: { webhook_id: string }): string {
  if (!isUuid(webhook_id)) throw webhookNotFound();
  return webhook_id.toLowerCase();
}

function describeState({ isActive }: { isActive: boolean }): string {
  return isActive ? 'The webhook is active.' : 'The webhook is disabled.';
}
