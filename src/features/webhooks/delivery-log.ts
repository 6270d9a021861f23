import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { newId } from '../../platform/ids.js';
import { noWebhook, type WebhookOwner } from './webhooks.js';

/** One event for one webhook, and what became of it. */
export interface DeliveryEntry {
  /** Also its `webhook-id`. */
  id: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** Null once it is delivered or given up. */
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
}

const ENTRY = `id, type, status, attempts, last_status_code AS "lastStatusCode", last_error AS "lastError",
  created_at AS "createdAt", last_attempt_at AS "lastAttemptAt", next_attempt_at AS "nextAttemptAt",
  delivered_at AS "deliveredAt"`;

export interface DeliveryQuery {
  /** Any other text than a status, whatever its case, finds nothing. */
  status?: string;
  limit: number;
  offset: number;
}

export interface DeliveryLogOptions {
  pool: pg.Pool;
  clock: Clock;
  /** Called when a delivery has become due. */
  wake(): void;
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
    const { pool } = this.#options;
    const filter = 'webhook_id = $1 AND ($2::text IS NULL OR status::text = lower($2))';
    const [page, count] = await Promise.all([
      pool.query<DeliveryEntry>(
        `SELECT ${ENTRY} FROM webhook_deliveries WHERE ${filter} ORDER BY id DESC LIMIT $3 OFFSET $4`,
        [webhookId, status ?? null, limit, offset],
      ),
      pool.query<{ total: number }>(`SELECT count(*)::int AS total FROM webhook_deliveries WHERE ${filter}`, [
        webhookId,
        status ?? null,
      ]),
    ]);
    return { deliveries: page.rows, total: count.rows[0]?.total ?? 0 };
  }

  /**
   * Queues an event of type `webhook.test`.
   * @throws {AppError} NOT_FOUND, or CONFLICT when the webhook is not active
   */
  async test(owner: WebhookOwner, webhookId: string): Promise<DeliveryEntry> {
    await this.#findActive(owner, webhookId);
    const data = { webhookId, channelId: owner.channelId };
    const { rows } = await this.#options.pool.query<DeliveryEntry>(
      `INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
       VALUES ($1, $2, 'webhook.test', $3, $4) RETURNING ${ENTRY}`,
      [newId(), webhookId, JSON.stringify(data), this.#options.clock.now().toISOString()],
    );
    this.#options.wake();
    return rows[0] as DeliveryEntry;
  }

  /**
   * Queues a delivery again, with the same `webhook-id`, data and time of the event; its schedule starts anew. One that
   * still waits is brought forward.
   * @throws {AppError} NOT_FOUND, or CONFLICT when the webhook is not active
   */
  async replay(owner: WebhookOwner, webhookId: string, deliveryId: string): Promise<DeliveryEntry> {
    await this.#findActive(owner, webhookId);
    const { rows } = await this.#options.pool.query<DeliveryEntry>(
      `UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_attempt_at = now(), delivered_at = NULL
       WHERE id = $1 AND webhook_id = $2 RETURNING ${ENTRY}`,
      [deliveryId, webhookId],
    );
    const [entry] = rows;
    if (!entry) throw new AppError('NOT_FOUND', 'There is no delivery with this id.');
    this.#options.wake();
    return entry;
  }

  async #findActive(owner: WebhookOwner, webhookId: string): Promise<void> {
    const { isActive } = await this.#find(owner, webhookId);
    if (!isActive) throw new AppError('CONFLICT', 'The webhook is not active: enable it first.');
  }

  async #find({ accountId, channelId }: WebhookOwner, webhookId: string): Promise<{ isActive: boolean }> {
    const { rows } = await this.#options.pool.query<{ isActive: boolean }>(
      'SELECT is_active AS "isActive" FROM webhooks WHERE id = $1 AND account_id = $2 AND channel_id = $3',
      [webhookId, accountId, channelId],
    );
    const [row] = rows;
    if (!row) throw noWebhook();
    return row;
  }
}
