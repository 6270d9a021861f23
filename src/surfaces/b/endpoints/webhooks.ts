import { Type } from '@sinclair/typebox';
import { DeliveryLog, type DeliveryLogOptions } from '../../../features/webhooks/delivery-log.js';
import { MAX_WEBHOOKS, Webhooks, type WebhooksOptions } from '../../../features/webhooks/webhooks.js';
import { OnePath, PathId, pathId } from '../../http/ids.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import {
  Delivery,
  deliveryRecord,
  recordWithSecret,
  WebhookBody,
  WebhookChanges,
  WebhookRecord,
  WebhookWithSecret,
  webhookRecord,
} from '../../resources/records/webhook-schemas.js';
import { DoneData, done, ok } from '../answers.js';
import { type Endpoints, WEBHOOKS } from '../endpoint.js';
import { answerList, list, listByStatus } from '../lists.js';

const DeliveryPath = Type.Object({ id: PathId, deliveryId: PathId });

export type WebhookOptions = WebhooksOptions & DeliveryLogOptions;

export const webhookEndpoints: Endpoints<WebhookOptions> = async (app, options) => {
  const webhooks = new Webhooks(options);
  const deliveries = new DeliveryLog(options);
  const readWebhookId = ({ id }: { id: string }) => pathId(id, 'webhook');

  app.post(
    '/webhooks',
    WEBHOOKS.write({
      operationId: 'createWebhook',
      summary: 'Create a webhook for events of the channel',
      description:
        'It receives events of this channel only; for SMS of the account, create an account webhook with `POST /v2/webhooks`. ' +
        `Deliveries follow Standard Webhooks (https://www.standardwebhooks.com), or, with \`format\` \`meta\`, the webhooks of Meta's Cloud API. 409 if the channel already has ${MAX_WEBHOOKS} webhooks.`,
      body: WebhookBody,
      data: WebhookWithSecret,
      errors: [409],
    }),
    async ({ body: { url, events, format, verifyToken, appSecret, authToken }, caller }) => {
      const owner = channelScope(caller);
      const checked = await webhooks.check(owner, { url, events, format, verifyToken, appSecret, authToken });
      return ok(recordWithSecret(await webhooks.create(owner, checked, caller.keyId)));
    },
  );

  app.get(
    '/webhooks',
    WEBHOOKS.read({
      operationId: 'listWebhooks',
      summary: 'List the webhooks of the channel, newest first',
      ...list('webhooks', WebhookRecord),
    }),
    ({ query, caller }) =>
      answerList(query, 'webhooks', (page) => webhooks.list(channelScope(caller), page), webhookRecord),
  );

  app.get(
    '/webhooks/:id',
    WEBHOOKS.read({ operationId: 'getWebhook', summary: 'Get a webhook', params: OnePath, data: WebhookRecord }),
    async ({ params, caller }) => ok(webhookRecord(await webhooks.get(channelScope(caller), readWebhookId(params)))),
  );

  app.put(
    '/webhooks/:id',
    WEBHOOKS.write({
      operationId: 'updateWebhook',
      summary: 'Change, disable or enable a webhook',
      description:
        'Absent fields stay unchanged. Events that occurred while a webhook was disabled are not delivered later.',
      params: OnePath,
      body: WebhookChanges,
      data: WebhookRecord,
    }),
    async ({ params, body: { url, events, isActive, verifyToken }, caller }) => {
      const [owner, id] = [channelScope(caller), readWebhookId(params)];
      const checked = await webhooks.checkChanges(owner, id, { url, events, isActive, verifyToken });
      return ok(webhookRecord(await webhooks.update(owner, id, checked, caller.keyId)));
    },
  );

  app.delete(
    '/webhooks/:id',
    WEBHOOKS.write({
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'Pending deliveries are dropped.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      await webhooks.delete(channelScope(caller), readWebhookId(params));
      return done('The webhook was deleted.');
    },
  );

  app.post(
    '/webhooks/:id/test',
    WEBHOOKS.write({
      operationId: 'testWebhook',
      summary: 'Send an event of type webhook.test',
      description: 'Responds immediately; see the list of deliveries for the result. 409 if the webhook is disabled.',
      params: OnePath,
      data: Delivery,
      errors: [409],
    }),
    async ({ params, caller }) =>
      ok(deliveryRecord(await deliveries.test(channelScope(caller), readWebhookId(params)))),
  );

  app.post(
    '/webhooks/:id/rotate-secret',
    WEBHOOKS.write({
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description:
        "For 24 hours, deliveries are signed with both the new and the previous secret. Meta's format has only one signature, which uses the new secret immediately.",
      params: OnePath,
      data: WebhookWithSecret,
    }),
    async ({ params, caller }) =>
      ok(recordWithSecret(await webhooks.rotateSecret(channelScope(caller), readWebhookId(params)))),
  );

  app.get(
    '/webhooks/:id/deliveries',
    WEBHOOKS.read({
      operationId: 'listWebhookDeliveries',
      summary: 'List the deliveries of a webhook, newest first',
      description: 'Deliveries are kept for 30 days.',
      params: OnePath,
      ...listByStatus('deliveries', Delivery, 'failed'),
    }),
    ({ params, query, caller }) =>
      answerList(
        query,
        'deliveries',
        (page) => deliveries.list(channelScope(caller), readWebhookId(params), page),
        deliveryRecord,
      ),
  );

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/replay',
    WEBHOOKS.write({
      operationId: 'replayWebhookDelivery',
      summary: 'Send a delivery again',
      description:
        'Sends the same body with the same `webhook-id`. A delivery that waits for its next attempt is sent now. ' +
        '409 if the webhook is disabled.',
      params: DeliveryPath,
      data: Delivery,
      errors: [409],
    }),
    async ({ params, caller }) => {
      const deliveryId = pathId(params.deliveryId, 'delivery');
      return ok(deliveryRecord(await deliveries.replay(channelScope(caller), readWebhookId(params), deliveryId)));
    },
  );
};
