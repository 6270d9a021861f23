import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import {
  type CallbackLogOptions,
  readCallbacks,
  replayCallback,
} from '../../../features/webhooks/callbacks/callback-log.js';
import type { CallbackEndpoints } from '../../../features/webhooks/callbacks/endpoints.js';
import { findAccountMessage } from '../../../messages/status/find-message.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { isUuid } from '../../../platform/ids.js';
import { PathId } from '../../http/ids.js';
import { Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { WebhookSecret } from '../../resources/records/webhook-fields.js';
import { EXTENSION, NO_BODY } from './extension.js';
import { errorsV2, READ_ERRORS } from './v1-schemas.js';
import { answer, answerSchema, DeliveryView, deliveryView } from './webhooks/webhook-view.js';

const MessageId = Type.String({ description: 'From the response to the send request.' });
const MessagePath = Type.Object({ message_id: MessageId });
const CallbackPath = Type.Object({ message_id: MessageId, delivery_id: PathId });

export type CallbackEndpointsOptions = UseCaseOptions<typeof findAccountMessage> &
  CallbackLogOptions & { callbacks: Pick<CallbackEndpoints, 'rotateSecret'> };

export const endpointsCallbacks: FastifyPluginAsyncTypebox<CallbackEndpointsOptions> = async (app, options) => {
  const common = { tags: ['Messages'], security: [{ bearer: [] }] };
  const findMessageId = async (accountId: string, id: string): Promise<string> => {
    const message = await findAccountMessage(options, accountId, id);
    if (!message) throw notFound('message', 'message_id');
    return message.id;
  };

  app.post(
    '/callback-secret',
    {
      schema: {
        ...common,
        operationId: 'rotateCallbackSecret',
        summary: 'Create or replace the secret that signs callbacks',
        description:
          `${EXTENSION} One secret signs all requests to the \`callback_url\` of the account's sends. It is shown only ` +
          `once. For 24 hours, requests are also signed with the previous secret. ${NO_BODY}`,
        response: {
          200: answerSchema(
            Type.Object({
              secret: WebhookSecret,
              previous_secret_expires_at: Type.Union([Timestamp, Type.Null()], {
                description: 'Until then, callbacks are also signed with the previous secret; null if there was none.',
              }),
            }),
          ),
          ...errorsV2([...READ_ERRORS, 413, 415]),
        },
      },
    },
    async ({ credential: { account } }) => {
      const { secret, previousSecretExpiresAt } = await options.callbacks.rotateSecret(account.id);
      const expiresAt = previousSecretExpiresAt?.toISOString() ?? null;
      return answer('The secret was created.', { secret, previous_secret_expires_at: expiresAt });
    },
  );

  app.get(
    '/messages/:message_id/callbacks',
    {
      schema: {
        ...common,
        operationId: 'listCallbacks',
        summary: 'List the callbacks of a message, newest first',
        description: `${EXTENSION} One entry per status, kept for 30 days with the body. Empty if the send had no callback_url.`,
        params: MessagePath,
        response: { 200: answerSchema(Type.Array(DeliveryView)), ...errorsV2([...READ_ERRORS, 404]) },
      },
    },
    async ({ params, credential: { account } }) => {
      const entries = await readCallbacks(options, await findMessageId(account.id, params.message_id));
      return answer(entries.length === 1 ? '1 delivery.' : `${entries.length} deliveries.`, entries.map(deliveryView));
    },
  );

  app.post(
    '/messages/:message_id/callbacks/:delivery_id/replay',
    {
      schema: {
        ...common,
        operationId: 'replayCallback',
        summary: 'Send a callback again',
        description: `${EXTENSION} Sends the same body with the same \`webhook-id\`. ${NO_BODY}`,
        params: CallbackPath,
        response: { 200: answerSchema(DeliveryView), ...errorsV2([...READ_ERRORS, 404, 413, 415]) },
      },
    },
    async ({ params, credential: { account } }) => {
      const messageId = await findMessageId(account.id, params.message_id);
      if (!isUuid(params.delivery_id)) throw notFound('delivery');
      const entry = await replayCallback(options, messageId, params.delivery_id);
      return answer('The callback is queued again.', deliveryView(entry));
    },
  );
};
