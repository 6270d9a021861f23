import type { WebhookEventType } from '../../messages/events/event-types.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { PrismaClient, Webhook as WebhookRow } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Connection, within } from '../../platform/store/within.js';
import { ROTATION_OVERLAP_MS } from './delivery/retry-schedule.js';
import { newSecret } from './signature.js';
import { checkWebhookUrl } from './url.js';
import { insertWebhook, lockWebhook, rotateSecret, updateWebhook } from './webhook-store.js';

/** Webhooks of one channel, and of one account as a whole. */
export const MAX_WEBHOOKS = 50;

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
  /** Null: those of the whole account. */
  channelId: string | null;
}

export interface WebhookChanges {
  url?: string;
  events?: readonly WebhookEventType[];
  isActive?: boolean;
}

export interface WebhooksOptions {
  pool: Connection;
  prisma: Pick<PrismaClient, 'webhook'>;
  clock: Clock;
  /** Whether private addresses may be called. */
  webhookAllowPrivate: boolean;
}

/** The webhooks of channels and accounts: what their owners may do with them. */
export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /**
   * Makes a webhook; this and `rotateSecret` are the only times that its secret is told.
   * @throws {AppError} INVALID_REQUEST for a URL that may not be called, CONFLICT when the owner has MAX_WEBHOOKS
   */
  async create(
    { accountId, channelId }: WebhookOwner,
    { url, events }: { url: string; events: readonly WebhookEventType[] },
  ): Promise<WebhookWithSecret> {
    this.#checkUrl(url);
    const id = newId();
    const secret = newSecret();
    await within(this.#options.pool, async (client) => {
      const key = { id, accountId, channelId };
      const made = await insertWebhook(client, key, { url, events, secret }, MAX_WEBHOOKS);
      if (!made)
        throw new AppError(
          'CONFLICT',
          `The ${channelId ? 'channel' : 'account'} already has ${MAX_WEBHOOKS} webhooks.`,
        );
    });
    return { ...(await this.get({ accountId, channelId }, id)), secret };
  }

  /** The newest first, and how many there are in all. */
  async list(
    owner: WebhookOwner,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ webhooks: Webhook[]; total: number }> {
    const { prisma } = this.#options;
    const where = { accountId: owner.accountId, channelId: owner.channelId, isCallback: false };
    const [rows, total] = await Promise.all([
      prisma.webhook.findMany({ where, orderBy: { id: 'desc' }, take: limit, skip: offset }),
      prisma.webhook.count({ where }),
    ]);
    return { webhooks: rows.map((row) => this.#present(row)), total };
  }

  /** All of them, the newest first: they are MAX_WEBHOOKS at the most. */
  async all({ accountId, channelId }: WebhookOwner): Promise<Webhook[]> {
    const where = { accountId, channelId, isCallback: false };
    return (await this.#options.prisma.webhook.findMany({ where, orderBy: { id: 'desc' } })).map((row) =>
      this.#present(row),
    );
  }

  /** @throws {AppError} NOT_FOUND */
  async get({ accountId, channelId }: WebhookOwner, id: string): Promise<Webhook> {
    const row = await this.#options.prisma.webhook.findFirst({
      where: { id, accountId, channelId, isCallback: false },
    });
    if (!row) throw noWebhook();
    return this.#present(row);
  }

  /**
   * The same, locked until the transaction ends, so that what is read of it is what a change of it begins from.
   * @throws {AppError} NOT_FOUND
   */
  async getLocked(owner: WebhookOwner, id: string): Promise<Webhook> {
    await lockWebhook(this.#options.pool, id);
    return await this.get(owner, id);
  }

  /**
   * Changes what is given. Another URL, and enabling, forget that deliveries failed; what is pending then goes on.
   * @throws {AppError} NOT_FOUND, or INVALID_REQUEST for a URL that may not be called
   */
  async update(owner: WebhookOwner, id: string, { url, events, isActive }: WebhookChanges): Promise<Webhook> {
    if (url !== undefined) this.#checkUrl(url);
    if (url === undefined && events === undefined && isActive === undefined) return await this.get(owner, id);
    await updateWebhook(this.#options.pool, { id, ...owner }, { url, events, isActive });
    return await this.get(owner, id);
  }

  /**
   * Deletes a webhook. Its deliveries are no longer sent nor shown, and swept up later.
   * @throws {AppError} NOT_FOUND
   */
  async delete({ accountId, channelId }: WebhookOwner, id: string): Promise<void> {
    const { count } = await this.#options.prisma.webhook.deleteMany({
      where: { id, accountId, channelId, isCallback: false },
    });
    if (count === 0) throw noWebhook();
  }

  /**
   * Gives a webhook a new secret. For a day the old one signs beside it; an even older one no longer does.
   * @throws {AppError} NOT_FOUND
   */
  async rotateSecret(owner: WebhookOwner, id: string): Promise<WebhookWithSecret> {
    const { pool, clock } = this.#options;
    const secret = newSecret();
    const previousExpiresAt = new Date(clock.now().getTime() + ROTATION_OVERLAP_MS);
    await rotateSecret(pool, { id, ...owner }, secret, previousExpiresAt);
    return { ...(await this.get(owner, id)), secret };
  }

  #checkUrl(url: string): void {
    checkWebhookUrl(url, { allowPrivate: this.#options.webhookAllowPrivate });
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
