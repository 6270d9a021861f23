import type { Clock } from '../../platform/clock.js';
import { AppError, notFound } from '../../platform/errors/app-error.js';
import { DeliveryStatus, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { type DeliveryEntry, insertTest, listDeliveries, requeue } from './delivery-log-store.js';
import { type WebhookOwner, webhookNotFound } from './webhooks.js';

export type { DeliveryEntry } from './delivery-log-store.js';

export interface DeliveryQuery {
  /** Case-insensitive. An unknown status matches no delivery. */
  status?: string;
  limit: number;
  offset: number;
}

export interface DeliveryLogOptions {
  pool: Connection;
  publicUrl: string;
  prisma: Pick<PrismaClient, 'webhook' | 'webhookDelivery'>;
  clock: Clock;
  wakeDeliverer(): void;
}

export class DeliveryLog {
  readonly #options: DeliveryLogOptions;

  constructor(options: DeliveryLogOptions) {
    this.#options = options;
  }

  /**
   * Newest first.
   * @throws {AppError} NOT_FOUND for the webhook
   */
  async list(
    owner: WebhookOwner,
    webhookId: string,
    { status, limit, offset }: DeliveryQuery,
  ): Promise<{ deliveries: DeliveryEntry[]; total: number }> {
    await this.#find(owner, webhookId);
    const statusFilter = status === undefined ? undefined : parseStatus(status);
    if (statusFilter === null) return { deliveries: [], total: 0 };
    const { prisma } = this.#options;
    const [deliveries, total] = await Promise.all([
      listDeliveries(this.#options, { webhookId, status: statusFilter ?? null }, { limit, offset }),
      prisma.webhookDelivery.count({ where: { webhookId, status: statusFilter } }),
    ]);
    return { deliveries, total };
  }

  /**
   * Works like `list`, but without the total count.
   * @throws {AppError} NOT_FOUND for the webhook
   */
  async listBefore(
    owner: WebhookOwner,
    webhookId: string,
    { status, before, limit }: { status?: string; before: string | null; limit: number },
  ): Promise<DeliveryEntry[]> {
    await this.#find(owner, webhookId);
    const statusFilter = status === undefined ? undefined : parseStatus(status);
    if (statusFilter === null) return [];
    return await listDeliveries(this.#options, { webhookId, status: statusFilter ?? null }, { before, limit });
  }

  /** @throws {AppError} NOT_FOUND, or CONFLICT if the webhook is disabled */
  async test(owner: WebhookOwner, webhookId: string): Promise<DeliveryEntry> {
    await this.#findActive(owner, webhookId);
    const { clock, wakeDeliverer } = this.#options;
    const { channelId } = owner;
    const entry = await insertTest(this.#options, { id: newId(), webhookId, channelId, occurredAt: clock.now() });
    wakeDeliverer();
    return entry;
  }

  /**
   * Sends a delivery again with the same `webhook-id`, data and time, but a new retry schedule.
   * @throws {AppError} NOT_FOUND, or CONFLICT if the webhook is disabled
   */
  async replay(owner: WebhookOwner, webhookId: string, deliveryId: string): Promise<DeliveryEntry> {
    await this.#findActive(owner, webhookId);
    const entry = await requeue(this.#options, webhookId, deliveryId);
    if (!entry) throw notFound('delivery');
    this.#options.wakeDeliverer();
    return entry;
  }

  async #findActive(owner: WebhookOwner, webhookId: string): Promise<void> {
    const { isActive } = await this.#find(owner, webhookId);
    if (!isActive) throw new AppError('CONFLICT', 'The webhook is not active: enable it first.');
  }

  async #find({ accountId, channelId }: WebhookOwner, id: string): Promise<{ isActive: boolean }> {
    const webhook = await this.#options.prisma.webhook.findFirst({
      where: { id, accountId, channelId, isCallback: false },
      select: { isActive: true },
    });
    if (!webhook) throw webhookNotFound();
    return webhook;
  }
}

function parseStatus(text: string): DeliveryStatus | null {
  return Object.values(DeliveryStatus).find((status) => status === text.toLowerCase()) ?? null;
}
