import type { FastifyRequest } from 'fastify';
import { type ChangeInHand, inside } from '../../../accounts/audit/change.js';
import { changeOf } from '../../../accounts/audit/change-of.js';
import { findWebhookCreators, recordCreator } from '../../../features/operator-credentials/created-credentials.js';
import { DeliveryLog, type DeliveryLogOptions } from '../../../features/webhooks/delivery-log.js';
import {
  type WebhookChanges,
  type WebhookInput,
  type WebhookOwner,
  Webhooks,
  type WebhooksOptions,
} from '../../../features/webhooks/webhooks.js';
import { pathId } from '../../http/ids.js';
import { deliveryRecord, recordWithSecret, webhookRecord } from '../../resources/records/webhook-schemas.js';
import { cursorPage, cut, done, ok, oneMore } from '../answers.js';
import { OF_ACCOUNT, OF_CHANNEL, WEBHOOKS } from '../contract/webhooks.js';
import { type Endpoints, routesOf } from '../endpoint.js';
import { accountOf, scopeOf } from '../session-auth.js';
import { requireVersion, versionOf } from '../versions.js';

export type WebhookEndpointsOptions = WebhooksOptions &
  DeliveryLogOptions & { prisma: Parameters<typeof recordCreator>[0] };

/** Webhooks of a channel, and of an account as a whole: the same operations at two places. */
const PLACES = [
  { base: OF_CHANNEL, ownerOf: (request: FastifyRequest): WebhookOwner => scopeOf(request) },
  {
    base: OF_ACCOUNT,
    ownerOf: (request: FastifyRequest): WebhookOwner => ({ accountId: accountOf(request).id, channelId: null }),
  },
] as const;

/** The webhooks of channels and accounts, and their deliveries: what Surfaces A and B do with them. */
export const webhookEndpoints: Endpoints<WebhookEndpointsOptions> = async (app, options) => {
  const route = routesOf(app, WEBHOOKS);
  const webhooks = new Webhooks(options);
  const deliveries = new DeliveryLog(options);
  /** What is queued in a change is told of once it is committed. */
  const deliveriesIn = (change: ChangeInHand) =>
    new DeliveryLog({ ...inside(options, change), wakeDeliverer: () => change.afterCommit(options.wakeDeliverer) });
  const idOf = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'webhook');

  /** Webhooks as the console shows them: with who made them, and their versions. */
  async function shown<T extends Parameters<typeof kept>[0] & { id: string }>(
    records: readonly T[],
    prisma: Parameters<typeof findWebhookCreators>[0] = options.prisma,
  ) {
    const makers = await findWebhookCreators(
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
    prisma?: Parameters<typeof findWebhookCreators>[0],
  ) => {
    const [one] = await shown([record], prisma);
    return one as T & { madeBy: string | null; version: string };
  };

  for (const { base, ownerOf } of PLACES) {
    route(`GET ${base}`, async (request) => ok(await shown((await webhooks.all(ownerOf(request))).map(webhookRecord))));

    route(`POST ${base}`, async (request) => {
      const { url, events, format, verifyToken, appSecret, authToken } = request.body as WebhookInput;
      // Its endpoint may be asked, for which no transaction waits.
      const checked = await webhooks.check(ownerOf(request), {
        url,
        events,
        format,
        verifyToken,
        appSecret,
        authToken,
      });
      return request.change(async (change) => {
        const made = await new Webhooks(inside(options, change)).create(ownerOf(request), checked);
        await recordCreator(change.prisma, { kind: 'webhook', id: made.id }, request.operator);
        const after = { url, events: [...events], ...(made.format !== 'standard' && { format: made.format }) };
        const told = { action: 'webhook.create', subject: made.id, after };
        return { result: ok(await shownOne(recordWithSecret(made), change.prisma)), told };
      });
    });

    route(`GET ${base}/:id`, async (request) =>
      ok(await shownOne(webhookRecord(await webhooks.get(ownerOf(request), idOf(request))))),
    );

    route(`PUT ${base}/:id`, async (request) => {
      const [owner, id] = [ownerOf(request), idOf(request)];
      const { url, events, isActive, verifyToken } = request.body as WebhookChanges;
      const checked = await webhooks.checkChanges(owner, id, { url, events, isActive, verifyToken });
      return request.change(async (change) => {
        const inChange = new Webhooks(inside(options, change));
        const before = await inChange.getLocked(owner, id);
        requireVersion(request, versionOf(kept(before)));
        const after = await inChange.update(owner, id, checked);
        const told = changeOf(
          'webhook.update',
          id,
          { ...kept(before), verifyToken: null },
          // The token itself stands in no log.
          { ...kept(after), verifyToken: verifyToken === undefined ? null : 'changed' },
        );
        return { result: ok(await shownOne(webhookRecord(after), change.prisma)), told };
      });
    });

    route(`DELETE ${base}/:id`, async (request) => {
      const [owner, id] = [ownerOf(request), idOf(request)];
      return request.change(async (change) => {
        const inChange = new Webhooks(inside(options, change));
        const before = kept(await inChange.getLocked(owner, id));
        await inChange.delete(owner, id);
        return { result: done(), told: { action: 'webhook.delete', subject: id, before } };
      });
    });

    route(`POST ${base}/:id/test`, async (request) => {
      const id = idOf(request);
      return request.change(async (change) => {
        const sent = await deliveriesIn(change).test(ownerOf(request), id);
        const told = { action: 'webhook.test', subject: id, after: { deliveryId: sent.id } };
        return { result: ok(deliveryRecord(sent)), told };
      });
    });

    route(`POST ${base}/:id/rotate-secret`, async (request) => {
      const id = idOf(request);
      return request.change(async (change) => {
        const rotated = await new Webhooks(inside(options, change)).rotateSecret(ownerOf(request), id);
        const told = { action: 'webhook.rotate', subject: id, after: { url: rotated.url } };
        return { result: ok(await shownOne(recordWithSecret(rotated), change.prisma)), told };
      });
    });

    route(`GET ${base}/:id/deliveries`, async (request) => {
      const page = cursorPage(request.query);
      const filter = { status: request.query.status || undefined, ...oneMore(page) };
      return cut((await deliveries.page(ownerOf(request), idOf(request), filter)).map(deliveryRecord), page);
    });

    route(`POST ${base}/:id/deliveries/:deliveryId/replay`, async (request) => {
      const deliveryId = pathId((request.params as { deliveryId: string }).deliveryId, 'delivery');
      const webhookId = idOf(request);
      return request.change(async (change) => {
        const sent = await deliveriesIn(change).replay(ownerOf(request), webhookId, deliveryId);
        const told = { action: 'delivery.replay', subject: deliveryId, after: { webhookId } };
        return { result: ok(deliveryRecord(sent)), told };
      });
    });
  }
};

/** What the audit log keeps of a webhook; never its secret. */
function kept({ url, events, isActive }: { url: string; events: string[]; isActive: boolean }) {
  return { url, events, isActive };
}
