import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { type ChangeInHand, inside } from '../../../accounts/audit/change.js';
import { changeOf } from '../../../accounts/audit/change-of.js';
import { makersOfWebhooks, noteMaker } from '../../../features/made-by/made-by.js';
import { DeliveryLog, type DeliveryLogOptions } from '../../../features/webhooks/delivery-log.js';
import type { WebhookEventType } from '../../../features/webhooks/outbox.js';
import {
  type WebhookChanges,
  type WebhookOwner,
  Webhooks,
  type WebhooksOptions,
} from '../../../features/webhooks/webhooks.js';
import { pathId } from '../../http/ids.js';
import { deliveryRecord, recordWithSecret, webhookRecord } from '../../resources/webhook-schemas.js';
import { cursorPage, cut, DoneData, done, ok, oneMore, pageQuery } from '../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../endpoint.js';
import { AccountThingPath, ChannelPath, ChannelThingPath } from '../paths.js';
import { accountOf, scopeOf } from '../session-auth.js';
import { requireVersion, versionOf } from '../versions.js';
import { AccountPath } from './accounts-schemas.js';
import { DeliveryData, OF_ACCOUNT, OF_CHANNEL, WebhookData, WebhookWithSecretData } from './webhooks-schemas.js';

export type WebhookEndpointsOptions = WebhooksOptions &
  DeliveryLogOptions & { prisma: Parameters<typeof noteMaker>[0] };

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
  /** What is queued in a change is told of once it is committed. */
  const deliveriesIn = (change: ChangeInHand) =>
    new DeliveryLog({ ...inside(options, change), wakeDeliverer: () => change.afterCommit(options.wakeDeliverer) });
  const idOf = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'webhook');

  /** Webhooks as the console shows them: with who made them, and their versions. */
  async function shown<T extends Parameters<typeof kept>[0] & { id: string }>(
    records: readonly T[],
    prisma: Parameters<typeof makersOfWebhooks>[0] = options.prisma,
  ) {
    const makers = await makersOfWebhooks(
      prisma,
      records.map(({ id }) => id),
    );
    return records.map((record) => ({
      ...record,
      madeBy: makers.get(record.id) ?? null,
      version: versionOf(kept(record)),
    }));
  }
  const shownOne = async <T extends Parameters<typeof kept>[0] & { id: string }>(
    record: T,
    prisma?: Parameters<typeof makersOfWebhooks>[0],
  ) => {
    const [one] = await shown([record], prisma);
    return one as T & { madeBy: string | null; version: string };
  };

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
      async (request) => ok(await shown((await webhooks.all(ownerOf(request))).map(webhookRecord))),
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
        return request.change(async (change) => {
          const made = await new Webhooks(inside(options, change)).create(ownerOf(request), { url, events });
          await noteMaker(change.prisma, { kind: 'webhook', id: made.id }, request.operator);
          const told = { action: 'webhook.create', subject: made.id, after: { url, events } };
          return { result: ok(await shownOne(recordWithSecret(made), change.prisma)), told };
        });
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
      async (request) => ok(await shownOne(webhookRecord(await webhooks.get(ownerOf(request), idOf(request))))),
    );

    app.put(
      `${base}/:id`,
      endpoint({
        ...write,
        versioned: true,
        operationId: `consoleUpdate${noun}`,
        summary: `Change, disable or enable a webhook ${words}`,
        params: one,
        body: changes,
        data: WebhookData,
      }),
      async (request) => {
        const [owner, id] = [ownerOf(request), idOf(request)];
        const { url, events, isActive } = request.body as WebhookChanges;
        return request.change(async (change) => {
          const inChange = new Webhooks(inside(options, change));
          const before = await inChange.getLocked(owner, id);
          requireVersion(request, versionOf(kept(before)));
          const after = await inChange.update(owner, id, { url, events, isActive });
          const told = changeOf('webhook.update', id, kept(before), kept(after));
          return { result: ok(await shownOne(webhookRecord(after), change.prisma)), told };
        });
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
        return request.change(async (change) => {
          const inChange = new Webhooks(inside(options, change));
          const before = kept(await inChange.getLocked(owner, id));
          await inChange.delete(owner, id);
          return { result: done(), told: { action: 'webhook.delete', subject: id, before } };
        });
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
        return request.change(async (change) => {
          const sent = await deliveriesIn(change).test(ownerOf(request), id);
          const told = { action: 'webhook.test', subject: id, after: { deliveryId: sent.id } };
          return { result: ok(deliveryRecord(sent)), told };
        });
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
        return request.change(async (change) => {
          const rotated = await new Webhooks(inside(options, change)).rotateSecret(ownerOf(request), id);
          const told = { action: 'webhook.rotate', subject: id, after: { url: rotated.url } };
          return { result: ok(await shownOne(recordWithSecret(rotated), change.prisma)), told };
        });
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
        const webhookId = idOf(request);
        return request.change(async (change) => {
          const sent = await deliveriesIn(change).replay(ownerOf(request), webhookId, deliveryId);
          const told = { action: 'delivery.replay', subject: deliveryId, after: { webhookId } };
          return { result: ok(deliveryRecord(sent)), told };
        });
      },
    );
  }
};

/** What the audit log keeps of a webhook; never its secret. */
function kept({ url, events, isActive }: { url: string; events: string[]; isActive: boolean }) {
  return { url, events, isActive };
}
