import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { DeliveryStatus, type PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import type { Connection } from '../../platform/store/within.js';
import { type DeliveryEntry, insertTest, listDeliveries, requeue } from './delivery-log-store.js';
import { noWebhook, type WebhookOwner } from './webhooks.js';

export type { DeliveryEntry } from './delivery-log-store.js';

export interface DeliveryQuery {
  /** Any other text than a status, whatever its case, finds nothing. */
  status?: string;
  limit: number;
  offset: number;
}

export interface DeliveryLogOptions {
  pool: Connection;
  /** What addresses in bodies begin with. */
  publicUrl: string;
  prisma: Pick<PrismaClient, 'webhook' | 'webhookDelivery'>;
  clock: Clock;
  /** Called when a delivery has become due. */
  wakeDeliverer(): void;
}

/** The deliveries of a webhook as its owner sees them, and what else may be sent to it. */
export class DeliveryLog {
  readonly #options: DeliveryLogOptions;

  constructor(options: DeliveryLogOptions) {
    this.#options = options;
  }

  /**
   * The newest first, and how many there are in all.
   * @throws {AppError} NOT_FOUND for the webhook
   */
  async list(
    owner: WebhookOwner,
    webhookId: string,
    { status, limit, offset }: DeliveryQuery,
  ): Promise<{ deliveries: DeliveryEntry[]; total: number }> {
    await this.#find(owner, webhookId);
    const wanted = status === undefined ? undefined : knownStatus(status);
    if (wanted === null) return { deliveries: [], total: 0 };
    const { prisma } = this.#options;
    const [deliveries, total] = await Promise.all([
      listDeliveries(this.#options, { webhookId, status: wanted ?? null }, { limit, offset }),
      prisma.webhookDelivery.count({ where: { webhookId, status: wanted } }),
    ]);
    return { deliveries, total };
  }

  /**
   * The newest first, those older than a delivery, and not how many there are.
   * @throws {AppError} NOT_FOUND for the webhook
   */
  async page(
    owner: WebhookOwner,
    webhookId: string,
    { status, before, limit }: { status?: string; before: string | null; limit: number },
  ): Promise<DeliveryEntry[]> {
    await this.#find(owner, webhookId);
    const wanted = status === undefined ? undefined : knownStatus(status);
    if (wanted === null) return [];
    return await listDeliveries(this.#options, { webhookId, status: wanted ?? null }, { before, limit });
  }

  /**
   * Queues an event of type `webhook.test`.
   * @throws {AppError} NOT_FOUND, or CONFLICT when the webhook is not active
   */
  async test(owner: WebhookOwner, webhookId: string): Promise<DeliveryEntry> {
    await this.#findActive(owner, webhookId);
    const { clock, wakeDeliverer } = this.#options;
    const { channelId } = owner;
    const entry = await insertTest(this.#options, { id: newId(), webhookId, channelId, occurredAt: clock.now() });
    wakeDeliverer();
    return entry;
  }

  /**
   * Queues a delivery again, with the same `webhook-id`, data and time of the event; its schedule starts anew. One that
   * still waits is brought forward.
   * @throws {AppError} NOT_FOUND, or CONFLICT when the webhook is not active
   */
  async replay(owner: WebhookOwner, webhookId: string, deliveryId: string): Promise<DeliveryEntry> {
    await this.#findActive(owner, webhookId);
    const entry = await requeue(this.#options, webhookId, deliveryId);
    if (!entry) throw new AppError('NOT_FOUND', 'There is no delivery with this id.');
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
    if (!webhook) throw noWebhook();
    return webhook;
  }
}

function knownStatus(text: string): DeliveryStatus | null {
  return Object.values(DeliveryStatus).find((status) => status === text.toLowerCase()) ?? null;
}
