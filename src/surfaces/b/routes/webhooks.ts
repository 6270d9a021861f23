import { Type } from '@sinclair/typebox';
import { DeliveryLog } from '../../../features/webhooks/delivery-log.js';
import { MOST_WEBHOOKS, Webhooks } from '../../../features/webhooks/webhooks.js';
import { answer, errorsB, listData, listQuery, ok, PathId, pageOf, pathId, type SurfaceBRoutes } from '../shared.js';
import {
  Deleted,
  Delivery,
  deliveryRecord,
  WebhookBody,
  WebhookChanges,
  WebhookRecord,
  WebhookWithSecret,
  webhookRecord,
} from './webhook-schemas.js';

const OnePath = Type.Object({ id: PathId });
const DeliveryPath = Type.Object({ id: PathId, deliveryId: PathId });
const TAGS = ['Webhooks'];

export const webhookRoutes: SurfaceBRoutes = async (app, { deps }) => {
  const webhooks = new Webhooks(deps);
  const deliveries = new DeliveryLog({ pool: deps.pool, clock: deps.clock, wake: () => deps.deliverer?.wake() });
  const webhookId = ({ id }: { id: string }) => pathId(id, 'webhook');

  app.post(
    '/webhooks',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'createWebhook',
        tags: TAGS,
        summary: 'Have events of the channel sent to a URL',
        description:
          "The account's SMS are among the events of `message.status`. Deliveries follow Standard Webhooks " +
          `(https://www.standardwebhooks.com). 409 when the channel has ${MOST_WEBHOOKS} webhooks.`,
        body: WebhookBody,
        response: { 200: answer(WebhookWithSecret), ...errorsB([409]) },
      },
    },
    async ({ body, caller }) => {
      const { secret, ...webhook } = await webhooks.create(ownerOf(caller), { url: body.url, events: body.events });
      return ok({ ...webhookRecord(webhook), secret });
    },
  );

  app.get(
    '/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhooks',
        tags: TAGS,
        summary: 'List the webhooks of the channel, the newest first',
        querystring: listQuery({}),
        response: { 200: answer(listData('webhooks', WebhookRecord)) },
      },
    },
    async ({ query, caller }) => {
      const page = pageOf(query);
      const found = await webhooks.list(ownerOf(caller), page);
      return ok({ webhooks: found.webhooks.map(webhookRecord), total: found.total, ...page });
    },
  );

  app.get(
    '/webhooks/:id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhook',
        tags: TAGS,
        summary: 'Look at a webhook',
        params: OnePath,
        response: { 200: answer(WebhookRecord) },
      },
    },
    async ({ params, caller }) => ok(webhookRecord(await webhooks.get(ownerOf(caller), webhookId(params)))),
  );

  app.put(
    '/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'updateWebhook',
        tags: TAGS,
        summary: 'Change, disable or enable a webhook',
        description: 'What is not given stays. What a disabled webhook would have been told is not made up for later.',
        params: OnePath,
        body: WebhookChanges,
        response: { 200: answer(WebhookRecord) },
      },
    },
    async ({ params, body: { url, events, isActive }, caller }) =>
      ok(webhookRecord(await webhooks.update(ownerOf(caller), webhookId(params), { url, events, isActive }))),
  );

  app.delete(
    '/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'deleteWebhook',
        tags: TAGS,
        summary: 'Delete a webhook',
        description: 'What is still to be delivered to it is dropped.',
        params: OnePath,
        response: { 200: answer(Deleted) },
      },
    },
    async ({ params, caller }) => {
      await webhooks.delete(ownerOf(caller), webhookId(params));
      return ok({ message: 'The webhook was deleted.' });
    },
  );

  app.post(
    '/webhooks/:id/test',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'testWebhook',
        tags: TAGS,
        summary: 'Send an event of type webhook.test',
        description: 'Answers at once; the list of deliveries tells what came of it. 409 when the webhook is disabled.',
        params: OnePath,
        response: { 200: answer(Delivery), ...errorsB([409]) },
      },
    },
    async ({ params, caller }) => ok(deliveryRecord(await deliveries.test(ownerOf(caller), webhookId(params)))),
  );

  app.post(
    '/webhooks/:id/rotate-secret',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'rotateWebhookSecret',
        tags: TAGS,
        summary: 'Replace the secret of a webhook',
        description: 'For 24 hours deliveries are signed with the new secret and with the one before it.',
        params: OnePath,
        response: { 200: answer(WebhookWithSecret) },
      },
    },
    async ({ params, caller }) => {
      const { secret, ...webhook } = await webhooks.rotateSecret(ownerOf(caller), webhookId(params));
      return ok({ ...webhookRecord(webhook), secret });
    },
  );

  app.get(
    '/webhooks/:id/deliveries',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhookDeliveries',
        tags: TAGS,
        summary: 'List what was sent to a webhook, the newest first',
        description: 'Deliveries are kept for 30 days.',
        params: OnePath,
        querystring: listQuery({
          status: Type.Optional(
            Type.String({ description: 'In any case; an unknown one finds none.', examples: ['failed'] }),
          ),
        }),
        response: { 200: answer(listData('deliveries', Delivery)) },
      },
    },
    async ({ params, query, caller }) => {
      const page = { ...pageOf(query) };
      const found = await deliveries.list(ownerOf(caller), webhookId(params), { status: query.status, ...page });
      return ok({ deliveries: found.deliveries.map(deliveryRecord), total: found.total, ...page });
    },
  );

  app.post(
    '/webhooks/:id/deliveries/:deliveryId/replay',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'replayWebhookDelivery',
        tags: TAGS,
        summary: 'Send a delivery again',
        description:
          'With the same `webhook-id` and the same body. One that waits for its next try is sent now. ' +
          '409 when the webhook is disabled.',
        params: DeliveryPath,
        response: { 200: answer(Delivery), ...errorsB([409]) },
      },
    },
    async ({ params, caller }) => {
      const deliveryId = pathId(params.deliveryId, 'delivery');
      return ok(deliveryRecord(await deliveries.replay(ownerOf(caller), webhookId(params), deliveryId)));
    },
  );
};

function ownerOf({ account, channel }: { account: { id: string }; channel: { id: string } }) {
  return { accountId: account.id, channelId: channel.id };
}
