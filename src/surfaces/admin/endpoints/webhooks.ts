import type { FastifyRequest } from 'fastify';
import { bindToTransaction, type ChangeTransaction } from '../../../accounts/audit/change.js';
import { diffForAudit } from '../../../accounts/audit/diff.js';
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
import { ACCOUNT_WEBHOOKS_PATH, CHANNEL_WEBHOOKS_PATH, WEBHOOKS } from '../contract/webhooks.js';
import { type Endpoints, registerRoutes } from '../endpoint.js';
import { requestAccount, requestScope } from '../session-auth.js';
import { requireVersion, toVersion } from '../versions.js';

export type WebhookEndpointsOptions = WebhooksOptions &
  DeliveryLogOptions & { prisma: Parameters<typeof recordCreator>[0] };

const VARIANTS = [
  { base: CHANNEL_WEBHOOKS_PATH, toOwner: (request: FastifyRequest): WebhookOwner => requestScope(request) },
  {
    base: ACCOUNT_WEBHOOKS_PATH,
    toOwner: (request: FastifyRequest): WebhookOwner => ({ accountId: requestAccount(request).id, channelId: null }),
  },
] as const;

export const webhookEndpoints: Endpoints<WebhookEndpointsOptions> = async (app, options) => {
  const route = registerRoutes(app, WEBHOOKS);
  const webhooks = new Webhooks(options);
  const deliveries = new DeliveryLog(options);
  /** Wakes the deliverer only after the change is committed. */
  const bindDeliveries = (change: ChangeTransaction) =>
    new DeliveryLog({
      ...bindToTransaction(options, change),
      wakeDeliverer: () => change.afterCommit(options.wakeDeliverer),
    });
  const readWebhookId = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'webhook');

  async function toData<T extends Parameters<typeof auditedFields>[0] & { id: string }>(
    records: readonly T[],
    prisma: Parameters<typeof findWebhookCreators>[0] = options.prisma,
  ) {
    const creators = await findWebhookCreators(
      prisma,
      records.map(({ id }) => id),
    );
    return records.map((record) => ({
      ...record,
      madeBy: creators.get(record.id) ?? null,
      version: toVersion(auditedFields(record)),
    }));
  }
  const toSingleData = async <T extends Parameters<typeof auditedFields>[0] & { id: string }>(
    record: T,
    prisma?: Parameters<typeof findWebhookCreators>[0],
  ) => {
    const [webhook] = await toData([record], prisma);
    return webhook as T & { madeBy: string | null; version: string };
  };

  for (const { base, toOwner } of VARIANTS) {
    route(`GET ${base}`, async (request) =>
      ok(await toData((await webhooks.listAll(toOwner(request))).map(webhookRecord))),
    );

    route(`POST ${base}`, async (request) => {
      const { url, events, format, verifyToken, appSecret, authToken } = request.body as WebhookInput;
      // The check may call the customer's endpoint, so it must happen outside the transaction.
      const checked = await webhooks.check(toOwner(request), {
        url,
        events,
        format,
        verifyToken,
        appSecret,
        authToken,
      });
      return request.change(async (change) => {
        const created = await new Webhooks(bindToTransaction(options, change)).create(toOwner(request), checked);
        await recordCreator(change.prisma, { kind: 'webhook', id: created.id }, request.operator);
        const after = { url, events: [...events], ...(created.format !== 'standard' && { format: created.format }) };
        const auditEntry = { action: 'webhook.create', subject: created.id, after };
        return { result: ok(await toSingleData(recordWithSecret(created), change.prisma)), audit: auditEntry };
      });
    });

    route(`GET ${base}/:id`, async (request) =>
      ok(await toSingleData(webhookRecord(await webhooks.get(toOwner(request), readWebhookId(request))))),
    );

    route(`PUT ${base}/:id`, async (request) => {
      const [owner, id] = [toOwner(request), readWebhookId(request)];
      const { url, events, isActive, verifyToken } = request.body as WebhookChanges;
      const checked = await webhooks.checkChanges(owner, id, { url, events, isActive, verifyToken });
      return request.change(async (change) => {
        const boundWebhooks = new Webhooks(bindToTransaction(options, change));
        const before = await boundWebhooks.lockAndGet(owner, id);
        requireVersion(request, toVersion(auditedFields(before)));
        const after = await boundWebhooks.update(owner, id, checked);
        const auditEntry = diffForAudit(
          'webhook.update',
          id,
          { ...auditedFields(before), verifyToken: null },
          // The verify token itself is not logged.
          { ...auditedFields(after), verifyToken: verifyToken === undefined ? null : 'changed' },
        );
        return { result: ok(await toSingleData(webhookRecord(after), change.prisma)), audit: auditEntry };
      });
    });

    route(`DELETE ${base}/:id`, async (request) => {
      const [owner, id] = [toOwner(request), readWebhookId(request)];
      return request.change(async (change) => {
        const boundWebhooks = new Webhooks(bindToTransaction(options, change));
        const before = auditedFields(await boundWebhooks.lockAndGet(owner, id));
        await boundWebhooks.delete(owner, id);
        return { result: done(), audit: { action: 'webhook.delete', subject: id, before } };
      });
    });

    route(`POST ${base}/:id/test`, async (request) => {
      const id = readWebhookId(request);
      return request.change(async (change) => {
        const delivery = await bindDeliveries(change).test(toOwner(request), id);
        const auditEntry = { action: 'webhook.test', subject: id, after: { deliveryId: delivery.id } };
        return { result: ok(deliveryRecord(delivery)), audit: auditEntry };
      });
    });

    route(`POST ${base}/:id/rotate-secret`, async (request) => {
      const id = readWebhookId(request);
      return request.change(async (change) => {
        const webhook = await new Webhooks(bindToTransaction(options, change)).rotateSecret(toOwner(request), id);
        const auditEntry = { action: 'webhook.rotate', subject: id, after: { url: webhook.url } };
        return { result: ok(await toSingleData(recordWithSecret(webhook), change.prisma)), audit: auditEntry };
      });
    });

    route(`GET ${base}/:id/deliveries`, async (request) => {
      const page = cursorPage(request.query);
      const filter = { status: request.query.status || undefined, ...oneMore(page) };
      return cut(
        (await deliveries.listBefore(toOwner(request), readWebhookId(request), filter)).map(deliveryRecord),
        page,
      );
    });

    route(`POST ${base}/:id/deliveries/:deliveryId/replay`, async (request) => {
      const deliveryId = pathId((request.params as { deliveryId: string }).deliveryId, 'delivery');
      const webhookId = readWebhookId(request);
      return request.change(async (change) => {
        const delivery = await bindDeliveries(change).replay(toOwner(request), webhookId, deliveryId);
        const auditEntry = { action: 'delivery.replay', subject: deliveryId, after: { webhookId } };
        return { result: ok(deliveryRecord(delivery)), audit: auditEntry };
      });
    });
  }
};

/** Without secrets. */
function auditedFields({ url, events, isActive }: { url: string; events: string[]; isActive: boolean }) {
  return { url, events, isActive };
}
