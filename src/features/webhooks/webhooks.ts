import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import type { PrismaClient, Webhook as WebhookRow } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { inTransaction } from '../../platform/store/pool.js';
import type { WebhookEventType } from './outbox.js';
import { ROTATION_OVERLAP_MS } from './schedule.js';
import { newSecret } from './signature.js';
import { checkWebhookUrl } from './url.js';

/** Webhooks of one channel. */
export const MOST_WEBHOOKS = 50;

/** A webhook as its owner sees it: without its secrets. */
export interface Webhook {
  id: string;
  url: string;
  events: string[];
  isActive: boolean;
  /** Why the server disabled it: `gone` or `failing`. */
  disabledReason: string | null;
  /** Since when every delivery fails. */
  failingSince: Date | null;
  /** Until when a rotated secret still signs. */
  previousSecretExpiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface WebhookWithSecret extends Webhook {
  secret: string;
}

/** Whose webhooks are meant. */
export interface WebhookOwner {
  accountId: string;
  channelId: string;
}

export interface WebhookChanges {
  url?: string;
  events?: readonly WebhookEventType[];
  isActive?: boolean;
}

export interface WebhooksOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'webhook'>;
  clock: Clock;
  config: { webhookAllowPrivate: boolean };
}

/** The webhooks of channels: what their owners may do with them. */
export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /**
   * Makes a webhook; this and `rotateSecret` are the only times that its secret is told.
   * @throws {AppError} INVALID_REQUEST for a URL that may not be called, CONFLICT when the channel has MOST_WEBHOOKS
   */
  async create(
    { accountId, channelId }: WebhookOwner,
    { url, events }: { url: string; events: readonly WebhookEventType[] },
  ): Promise<WebhookWithSecret> {
    this.#checkUrl(url);
    const id = newId();
    const secret = newSecret();
    await inTransaction(this.#options.pool, async (client) => {
      // Two at once would both find room for one.
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks ' || $1, 0))`, [channelId]);
      const { rowCount } = await client.query(
        `INSERT INTO webhooks (id, account_id, channel_id, url, events, secret)
         SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM webhooks WHERE channel_id = $3) < $7`,
        [id, accountId, channelId, url, events, secret, MOST_WEBHOOKS],
      );
      if (rowCount === 0) throw new AppError('CONFLICT', `The channel already has ${MOST_WEBHOOKS} webhooks.`);
    });
    return { ...(await this.get({ accountId, channelId }, id)), secret };
  }

  /** The newest first, and how many there are in all. */
  async list(
    owner: WebhookOwner,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ webhooks: Webhook[]; total: number }> {
    const { prisma } = this.#options;
    const where = { accountId: owner.accountId, channelId: owner.channelId };
    const [rows, total] = await Promise.all([
      prisma.webhook.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
      prisma.webhook.count({ where }),
    ]);
    return { webhooks: rows.map((row) => this.#present(row)), total };
  }

  /** @throws {AppError} NOT_FOUND */
  async get({ accountId, channelId }: WebhookOwner, id: string): Promise<Webhook> {
    const row = await this.#options.prisma.webhook.findFirst({ where: { id, accountId, channelId } });
    if (!row) throw noWebhook();
    return this.#present(row);
  }

  /**
   * Changes what is given. Another URL, and enabling, forget that deliveries failed; what is pending then goes on.
   * @throws {AppError} NOT_FOUND, or INVALID_REQUEST for a URL that may not be called
   */
  async update(owner: WebhookOwner, id: string, { url, events, isActive }: WebhookChanges): Promise<Webhook> {
    if (url !== undefined) this.#checkUrl(url);
    if (url === undefined && events === undefined && isActive === undefined) return await this.get(owner, id);
    await this.#options.pool.query(
      `UPDATE webhooks SET
         url = coalesce($4, url),
         events = coalesce($5, events),
         is_active = coalesce($6, is_active),
         disabled_reason = CASE WHEN $6 THEN NULL ELSE disabled_reason END,
         failing_since = CASE WHEN $6 AND NOT is_active OR $4 <> url THEN NULL ELSE failing_since END,
         updated_at = now()
       WHERE id = $1 AND account_id = $2 AND channel_id = $3`,
      [id, owner.accountId, owner.channelId, url ?? null, events ?? null, isActive ?? null],
    );
    return await this.get(owner, id);
  }

  /**
   * Deletes a webhook. Its deliveries are no longer sent nor shown, and swept up later.
   * @throws {AppError} NOT_FOUND
   */
  async delete({ accountId, channelId }: WebhookOwner, id: string): Promise<void> {
    const { count } = await this.#options.prisma.webhook.deleteMany({ where: { id, accountId, channelId } });
    if (count === 0) throw noWebhook();
  }

  /**
   * Gives a webhook a new secret. For a day the old one signs beside it; an even older one no longer does.
   * @throws {AppError} NOT_FOUND
   */
  async rotateSecret(owner: WebhookOwner, id: string): Promise<WebhookWithSecret> {
    const { pool, clock } = this.#options;
    const secret = newSecret();
    await pool.query(
      `UPDATE webhooks SET previous_secret = secret, previous_secret_expires_at = $4, secret = $5, updated_at = now()
       WHERE id = $1 AND account_id = $2 AND channel_id = $3`,
      [
        id,
        owner.accountId,
        owner.channelId,
        new Date(clock.now().getTime() + ROTATION_OVERLAP_MS).toISOString(),
        secret,
      ],
    );
    return { ...(await this.get(owner, id)), secret };
  }

  #checkUrl(url: string): void {
    checkWebhookUrl(url, { allowPrivate: this.#options.config.webhookAllowPrivate });
  }

  #present(row: WebhookRow): Webhook {
    const { id, url, events, isActive, disabledReason, failingSince, createdAt, updatedAt } = row;
    const expiry = row.previousSecretExpiresAt;
    const previousSecretExpiresAt = expiry && expiry > this.#options.clock.now() ? expiry : null;
    return { id, url, events, isActive, disabledReason, failingSince, previousSecretExpiresAt, createdAt, updatedAt };
  }
}

export function noWebhook(): AppError {
  return new AppError('NOT_FOUND', 'There is no webhook with this id.');
}
