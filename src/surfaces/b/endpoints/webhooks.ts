import { Type } from '@sinclair/typebox';
import { DeliveryLog, type DeliveryLogOptions } from '../../../features/webhooks/delivery-log.js';
import { MAX_WEBHOOKS, Webhooks, type WebhooksOptions } from '../../../features/webhooks/webhooks.js';
import { OnePath, PathId, pathId } from '../../http/ids.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
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
import { list, listByStatus, listOf } from '../lists.js';

const DeliveryPath = Type.Object({ id: PathId, deliveryId: PathId });

export type WebhookOptions = WebhooksOptions & DeliveryLogOptions;

export const webhookEndpoints: Endpoints<WebhookOptions> = async (app, options) => {
  const webhooks = new Webhooks(options);
  const deliveries = new DeliveryLog(options);
  const webhookId = ({ id }: { id: string }) => pathId(id, 'webhook');

  app.post(
    '/webhooks',
    WEBHOOKS.write({
      operationId: 'createWebhook',
      summary: 'Have events of the channel sent to a URL',
      description:
        "It is told of the channel alone; of the account's SMS tells a webhook of the account, `POST /v2/webhooks`. " +
        `Deliveries follow Standard Webhooks (https://www.standardwebhooks.com), or, with \`format\` \`meta\`, the webhooks of Meta's Cloud API. 409 when the channel has ${MAX_WEBHOOKS} webhooks.`,
      body: WebhookBody,
      data: WebhookWithSecret,
      errors: [409],
    }),
    async ({ body: { url, events, format, verifyToken, appSecret, authToken }, caller }) => {
      const owner = scopeOf(caller);
      const checked = await webhooks.check(owner, { url, events, format, verifyToken, appSecret, authToken });
      return ok(recordWithSecret(await webhooks.create(owner, checked, caller.keyId)));
    },
  );

  app.get(
    '/webhooks',
    WEBHOOKS.read({
      operationId: 'listWebhooks',
      summary: 'List the webhooks of the channel, the newest first',
      ...list('webhooks', WebhookRecord),
    }),
    ({ query, caller }) => listOf(query, 'webhooks', (page) => webhooks.list(scopeOf(caller), page), webhookRecord),
  );

  app.get(
    '/webhooks/:id',
    WEBHOOKS.read({ operationId: 'getWebhook', summary: 'Look at a webhook', params: OnePath, data: WebhookRecord }),
    async ({ params, caller }) => ok(webhookRecord(await webhooks.get(scopeOf(caller), webhookId(params)))),
  );

  app.put(
    '/webhooks/:id',
    WEBHOOKS.write({
      operationId: 'updateWebhook',
      summary: 'Change, disable or enable a webhook',
      description: 'What is not given stays. What a disabled webhook would have been told is not made up for later.',
      params: OnePath,
      body: WebhookChanges,
      data: WebhookRecord,
    }),
    async ({ params, body: { url, events, isActive, verifyToken }, caller }) => {
      const [owner, id] = [scopeOf(caller), webhookId(params)];
      const checked = await webhooks.checkChanges(owner, id, { url, events, isActive, verifyToken });
      return ok(webhookRecord(await webhooks.update(owner, id, checked, caller.keyId)));
    },
  );

  app.delete(
    '/webhooks/:id',
    WEBHOOKS.write({
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'What is still to be delivered to it is dropped.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      await webhooks.delete(scopeOf(caller), webhookId(params));
      return done('The webhook was deleted.');
    },
  );

  app.post(
    '/webhooks/:id/test',
    WEBHOOKS.write({
      operationId: 'testWebhook',
      summary: 'Send an event of type webhook.test',
      description: 'Answers at once; the list of deliveries tells what came of it. 409 when the webhook is disabled.',
      params: OnePath,
      data: Delivery,
      errors: [409],
    }),
    async ({ params, caller }) => ok(deliveryRecord(await deliveries.test(scopeOf(caller), webhookId(params)))),
  );

  app.post(
    '/webhooks/:id/rotate-secret',
    WEBHOOKS.write({
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret of a webhook',
      description:
        "For 24 hours deliveries are signed with the new secret and with the one before it; in Meta's format, which has one signature, at once with the new one alone.",
      params: OnePath,
      data: WebhookWithSecret,
    }),
    async ({ params, caller }) => ok(recordWithSecret(await webhooks.rotateSecret(scopeOf(caller), webhookId(params)))),
  );

  app.get(
    '/webhooks/:id/deliveries',
    WEBHOOKS.read({
      operationId: 'listWebhookDeliveries',
      summary: 'List what was sent to a webhook, the newest first',
      description: 'Deliveries are kept for 30 days.',
      params: OnePath,
      ...listByStatus('deliveries', Delivery, 'failed'),
    }),
    ({ params, query, caller }) =>
      listOf(query, 'deliveries', (page) => deliveries.list(scopeOf(caller), webhookId(params), page), deliveryRecord),
  );

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/replay',
    WEBHOOKS.write({
      operationId: 'replayWebhookDelivery',
      summary: 'Send a delivery again',
      description:
        'With the same `webhook-id` and the same body. One that waits for its next try is sent now. ' +
        '409 when the webhook is disabled.',
      params: DeliveryPath,
      data: Delivery,
      errors: [409],
    }),
    async ({ params, caller }) => {
      const deliveryId = pathId(params.deliveryId, 'delivery');
      return ok(deliveryRecord(await deliveries.replay(scopeOf(caller), webhookId(params), deliveryId)));
    },
  );
};
