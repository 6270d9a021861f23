import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { DeliveryLog, type DeliveryLogOptions } from '../../../features/webhooks/delivery-log.js';
import type { WebhookEventType } from '../../../features/webhooks/outbox.js';
import {
  type WebhookChanges,
  type WebhookOwner,
  Webhooks,
  type WebhooksOptions,
} from '../../../features/webhooks/webhooks.js';
import { deliveryRecord, webhookRecord } from '../../b/endpoints/webhook-schemas.js';
import { recordWithSecret } from '../../b/endpoints/webhooks.js';
import { pathId } from '../../http/ids.js';
import { cursorPage, cut, DoneData, done, ok, oneMore, pageQuery } from '../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../endpoint.js';
import { AccountThingPath, ChannelPath, ChannelThingPath } from '../paths.js';
import { accountOf, scopeOf } from '../session-auth.js';
import { AccountPath } from './accounts-schemas.js';
import { DeliveryData, OF_ACCOUNT, OF_CHANNEL, WebhookData, WebhookWithSecretData } from './webhooks-schemas.js';

export type WebhookEndpointsOptions = WebhooksOptions & DeliveryLogOptions;

/** Webhooks of a channel, or of an account as a whole: the same operations at two places. */
interface Place {
  base: string;
  /** Stands in the names of the operations. */
  noun: string;
  /** Stands in their summaries. */
  words: string;
  all: TSchema;
  one: TObject;
  body: TSchema;
  changes: TSchema;
  ownerOf(request: FastifyRequest): WebhookOwner;
}

const PLACES: readonly Place[] = [
  {
    base: '/accounts/:accountId/channels/:channelId/webhooks',
    noun: 'Webhook',
    words: 'of a channel',
    all: ChannelPath,
    one: ChannelThingPath,
    ...OF_CHANNEL,
    ownerOf: scopeOf,
  },
  {
    base: '/accounts/:accountId/webhooks',
    noun: 'AccountWebhook',
    words: 'of the whole account',
    all: AccountPath,
    one: AccountThingPath,
    ...OF_ACCOUNT,
    ownerOf: (request) => ({ accountId: accountOf(request).id, channelId: null }),
  },
];

const read = { needs: 'viewer', of: 'account' } as const;
const write = { needs: 'developer', of: 'account' } as const;

/** The webhooks of channels and accounts, and their deliveries: what Surfaces A and B do with them. */
export const webhookEndpoints: Endpoints<WebhookEndpointsOptions> = async (app, options) => {
  const webhooks = new Webhooks(options);
  const deliveries = new DeliveryLog(options);
  const idOf = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'webhook');

  for (const { base, noun, words, all, one, body, changes, ownerOf } of PLACES) {
    app.get(
      base,
      endpoint({
        ...read,
        operationId: `consoleList${noun}s`,
        summary: `List the webhooks ${words}, the newest first`,
        params: all,
        data: Type.Array(WebhookData),
      }),
      async (request) => ok((await webhooks.all(ownerOf(request))).map(webhookRecord)),
    );

    app.post(
      base,
      endpoint({
        ...write,
        operationId: `consoleCreate${noun}`,
        summary: `Have events ${words} sent to a URL`,
        description: 'The secret is told this once.',
        params: all,
        body,
        data: WebhookWithSecretData,
        errors: [409],
      }),
      async (request) => {
        const { url, events } = request.body as { url: string; events: WebhookEventType[] };
        const made = await webhooks.create(ownerOf(request), { url, events });
        await request.audit({ action: 'webhook.create', subject: made.id, after: { url, events } });
        return ok(recordWithSecret(made));
      },
    );

    app.get(
      `${base}/:id`,
      endpoint({
        ...read,
        operationId: `consoleGet${noun}`,
        summary: `Show a webhook ${words}`,
        params: one,
        data: WebhookData,
      }),
      async (request) => ok(webhookRecord(await webhooks.get(ownerOf(request), idOf(request)))),
    );

    app.put(
      `${base}/:id`,
      endpoint({
        ...write,
        operationId: `consoleUpdate${noun}`,
        summary: `Change, disable or enable a webhook ${words}`,
        params: one,
        body: changes,
        data: WebhookData,
      }),
      async (request) => {
        const [owner, id] = [ownerOf(request), idOf(request)];
        const { url, events, isActive } = request.body as WebhookChanges;
        const before = await webhooks.get(owner, id);
        const after = await webhooks.update(owner, id, { url, events, isActive });
        await request.audit({ action: 'webhook.update', subject: id, before: kept(before), after: kept(after) });
        return ok(webhookRecord(after));
      },
    );

    app.delete(
      `${base}/:id`,
      endpoint({
        ...write,
        operationId: `consoleDelete${noun}`,
        summary: `Delete a webhook ${words}`,
        description: 'What is still to be delivered to it is dropped.',
        params: one,
        data: DoneData,
      }),
      async (request) => {
        const [owner, id] = [ownerOf(request), idOf(request)];
        const before = await webhooks.get(owner, id);
        await webhooks.delete(owner, id);
        await request.audit({ action: 'webhook.delete', subject: id, before: kept(before) });
        return done();
      },
    );

    app.post(
      `${base}/:id/test`,
      endpoint({
        ...write,
        operationId: `consoleTest${noun}`,
        summary: `Send an event of type webhook.test to a webhook ${words}`,
        params: one,
        data: DeliveryData,
        errors: [409],
      }),
      async (request) => {
        const id = idOf(request);
        const sent = await deliveries.test(ownerOf(request), id);
        await request.audit({ action: 'webhook.test', subject: id, after: { deliveryId: sent.id } });
        return ok(deliveryRecord(sent));
      },
    );

    app.post(
      `${base}/:id/rotate-secret`,
      endpoint({
        ...write,
        operationId: `consoleRotate${noun}Secret`,
        summary: `Replace the secret of a webhook ${words}`,
        description: 'It is told this once. For 24 hours deliveries are signed with the one before it too.',
        params: one,
        data: WebhookWithSecretData,
      }),
      async (request) => {
        const id = idOf(request);
        const rotated = await webhooks.rotateSecret(ownerOf(request), id);
        await request.audit({ action: 'webhook.rotate', subject: id, after: { url: rotated.url } });
        return ok(recordWithSecret(rotated));
      },
    );

    app.get(
      `${base}/:id/deliveries`,
      pageEndpoint({
        ...read,
        operationId: `consoleList${noun}Deliveries`,
        summary: `List what was sent to a webhook ${words}, the newest first`,
        params: one,
        querystring: pageQuery({
          status: Type.Optional(Type.String({ description: 'In any case; an unknown one finds none.' })),
        }),
        entry: DeliveryData,
      }),
      async (request) => {
        const page = cursorPage(request.query);
        const filter = { status: request.query.status || undefined, ...oneMore(page) };
        return cut((await deliveries.page(ownerOf(request), idOf(request), filter)).map(deliveryRecord), page);
      },
    );

    app.post(
      `${base}/:id/deliveries/:deliveryId/replay`,
      endpoint({
        ...write,
        operationId: `consoleReplay${noun}Delivery`,
        summary: `Send a delivery of a webhook ${words} again`,
        params: Type.Object({ ...one.properties, deliveryId: Type.String() }),
        data: DeliveryData,
        errors: [409],
      }),
      async (request) => {
        const deliveryId = pathId((request.params as { deliveryId: string }).deliveryId, 'delivery');
        const sent = await deliveries.replay(ownerOf(request), idOf(request), deliveryId);
        await request.audit({ action: 'delivery.replay', subject: deliveryId, after: { webhookId: idOf(request) } });
        return ok(deliveryRecord(sent));
      },
    );
  }
};

/** What the audit log keeps of a webhook; never its secret. */
function kept({ url, events, isActive }: { url: string; events: string[]; isActive: boolean }) {
  return { url, events, isActive };
}
