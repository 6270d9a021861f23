import type pg from 'pg';
import type { WebhookEventType } from '../../messages/events/webhook-events.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, invalidField, notFound } from '../../platform/errors/app-error.js';
import type { PrismaClient, WebhookFormat, Webhook as WebhookRow } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { ROTATION_OVERLAP_MS } from './delivery/retry-schedule.js';
import { type HttpGet, performHandshake } from './meta/handshake.js';
import { checkMetaEvents, checkMetaInput, checkStandardInput } from './meta/rules.js';
import { newAppSecret } from './meta/signature.js';
import { newSecret } from './signature.js';
import { checkTwilioEvents, checkTwilioInput } from './twilio/rules.js';
import { newAuthToken } from './twilio/signature.js';
import { checkWebhookUrl } from './url.js';
import { findMetaWebhook, insertWebhook, lockWebhook, rotateSecret, updateWebhook } from './webhook-store.js';

export const MAX_WEBHOOKS = 50;

export interface Webhook {
  id: string;
  url: string;
  format: WebhookFormat;
  events: string[];
  isActive: boolean;
  /** `gone` or `failing`. */
  disabledReason: string | null;
  failingSince: Date | null;
  /** Time until which the previous secret is also used for signatures. */
  previousSecretExpiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface WebhookWithSecret extends Webhook {
  secret: string;
}

export interface WebhookOwner {
  accountId: string;
  /** The webhook's channel; null for a webhook of the whole account. */
  channelId: string | null;
}

export interface WebhookInput {
  url: string;
  events: readonly WebhookEventType[];
  /** Default: `standard`. */
  format?: WebhookFormat | undefined;
  /** Only for Meta's format, in which the endpoint must confirm the token. */
  verifyToken?: string | undefined;
  /** Only for Meta's format. Default: a new secret. */
  appSecret?: string | undefined;
  /** Only for Twilio's format. Default: a new token. */
  authToken?: string | undefined;
}

export interface WebhookChanges {
  url?: string | undefined;
  events?: readonly WebhookEventType[] | undefined;
  isActive?: boolean | undefined;
  verifyToken?: string | undefined;
}

/** Input that has passed all checks, including Meta's handshake with the endpoint if the format needs one. */
declare const CHECKED: unique symbol;
export type Checked<T> = T & { readonly [CHECKED]: true };

export interface WebhooksOptions {
  pool: Connection;
  prisma: Pick<PrismaClient, 'webhook' | 'channel'>;
  clock: Clock;
  webhookAllowPrivate: boolean;
  askEndpoint: HttpGet;
}

export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /**
   * Call this method before any transaction, because Meta's format requires a request to the endpoint.
   * @throws {AppError} INVALID_REQUEST for a URL that may not be called, or for input that does not fit the format
   */
  async check(owner: WebhookOwner, input: WebhookInput): Promise<Checked<WebhookInput>> {
    const { url, format = 'standard', verifyToken } = input;
    this.#checkUrl(url);
    if (format === 'meta') {
      checkMetaInput(input);
      await this.#requireWhatsapp(owner);
      await performHandshake(this.#options.askEndpoint, { url, verifyToken: verifyToken as string });
    } else if (format === 'twilio') checkTwilioInput(input);
    else checkStandardInput(input);
    return input as Checked<WebhookInput>;
  }

  /**
   * As `check`.
   * @throws {AppError} NOT_FOUND, or INVALID_REQUEST
   */
  async checkChanges(owner: WebhookOwner, id: string, changes: WebhookChanges): Promise<Checked<WebhookChanges>> {
    const { url, events, verifyToken } = changes;
    if (url !== undefined) this.#checkUrl(url);
    const { prisma, askEndpoint } = this.#options;
    const current = await prisma.webhook.findFirst({ where: { id, ...owner, isCallback: false } });
    if (!current) throw webhookNotFound();
    if (current.format === 'meta') {
      if (events) checkMetaEvents(events);
      const newEndpoint = { url: url ?? current.url, verifyToken: verifyToken ?? current.verifyToken ?? '' };
      const needsHandshake = newEndpoint.url !== current.url || newEndpoint.verifyToken !== current.verifyToken;
      if (needsHandshake) await performHandshake(askEndpoint, newEndpoint);
    } else {
      checkStandardInput({ verifyToken }, current.format);
      if (current.format === 'twilio' && events) checkTwilioEvents(events);
    }
    return changes as Checked<WebhookChanges>;
  }

  /**
   * Only this method and `rotateSecret` return the secret. The spending guard of the API key `keyId` applies to TwiML
   * replies from the URL.
   * @throws {AppError} CONFLICT if the owner has MAX_WEBHOOKS webhooks
   */
  async create(
    owner: WebhookOwner,
    input: Checked<WebhookInput>,
    keyId: string | null = null,
  ): Promise<WebhookWithSecret> {
    const { id, secret } = await withTransaction(this.#options.pool, (client) =>
      insertNewWebhook(client, owner, input, keyId),
    );
    return { ...(await this.get(owner, id)), secret };
  }

  /**
   * Creates a webhook, or enables the channel's webhook with the same URL and sets its verify token.
   * @throws {AppError} As `create`.
   */
  async ensureMeta(
    owner: WebhookOwner & { channelId: string },
    input: Checked<WebhookInput>,
    keyId: string,
  ): Promise<void> {
    await withTransaction(this.#options.pool, async (client) => {
      const id = await findMetaWebhook(client, owner, input.url);
      if (id === null) await insertNewWebhook(client, owner, input, keyId);
      else await updateWebhook(client, { id, ...owner }, { verifyToken: input.verifyToken, isActive: true });
    });
  }

  /** Newest first. */
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
    return { webhooks: rows.map((row) => this.#toWebhook(row)), total };
  }

  /** Newest first. */
  async listAll({ accountId, channelId }: WebhookOwner): Promise<Webhook[]> {
    const where = { accountId, channelId, isCallback: false };
    return (await this.#options.prisma.webhook.findMany({ where, orderBy: { id: 'desc' } })).map((row) =>
      this.#toWebhook(row),
    );
  }

  /** @throws {AppError} NOT_FOUND */
  async get({ accountId, channelId }: WebhookOwner, id: string): Promise<Webhook> {
    const row = await this.#options.prisma.webhook.findFirst({
      where: { id, accountId, channelId, isCallback: false },
    });
    if (!row) throw webhookNotFound();
    return this.#toWebhook(row);
  }

  /** @throws {AppError} NOT_FOUND */
  async lockAndGet(owner: WebhookOwner, id: string): Promise<Webhook> {
    await lockWebhook(this.#options.pool, id);
    return await this.get(owner, id);
  }

  /**
   * A new URL, or enabling the webhook, clears `failingSince`, and pending deliveries continue. A changed URL belongs
   * to the API key `keyId`, or to an operator if `keyId` is null.
   * @throws {AppError} NOT_FOUND
   */
  async update(
    owner: WebhookOwner,
    id: string,
    { url, events, isActive, verifyToken }: Checked<WebhookChanges>,
    keyId: string | null = null,
  ): Promise<Webhook> {
    if ([url, events, isActive, verifyToken].every((each) => each === undefined)) return await this.get(owner, id);
    await updateWebhook(this.#options.pool, { id, ...owner }, { url, events, isActive, verifyToken, keyId });
    return await this.get(owner, id);
  }

  /**
   * Deliveries of a deleted webhook are neither sent nor listed, and maintenance deletes them later.
   * @throws {AppError} NOT_FOUND
   */
  async delete({ accountId, channelId }: WebhookOwner, id: string): Promise<void> {
    const { count } = await this.#options.prisma.webhook.deleteMany({
      where: { id, accountId, channelId, isCallback: false },
    });
    if (count === 0) throw webhookNotFound();
  }

  /**
   * In the standard format, the previous secret also signs events for another day. Meta's and Twilio's formats have
   * only one signature, so the new secret applies immediately.
   * @throws {AppError} NOT_FOUND
   */
  async rotateSecret(owner: WebhookOwner, id: string): Promise<WebhookWithSecret> {
    const { pool, clock } = this.#options;
    const { format } = await this.get(owner, id);
    const secret = generateSecret(format);
    const previousExpiresAt = new Date(clock.now().getTime() + ROTATION_OVERLAP_MS);
    await rotateSecret(pool, { id, ...owner }, secret, previousExpiresAt);
    return { ...(await this.get(owner, id)), secret };
  }

  async #requireWhatsapp({ accountId, channelId }: WebhookOwner): Promise<void> {
    const { prisma } = this.#options;
    const channel = channelId === null ? null : await prisma.channel.findFirst({ where: { id: channelId, accountId } });
    if (channel?.kind !== 'whatsapp') {
      throw invalidField('format', "must be standard: Meta's format needs a WhatsApp channel");
    }
  }

  #checkUrl(url: string): void {
    checkWebhookUrl(url, { allowPrivate: this.#options.webhookAllowPrivate });
  }

  #toWebhook(row: WebhookRow): Webhook {
    const { id, url, format, events, isActive, disabledReason, failingSince, createdAt, updatedAt } = row;
    const expiry = row.previousSecretExpiresAt;
    const previousSecretExpiresAt = expiry && expiry > this.#options.clock.now() ? expiry : null;
    const times = { failingSince, previousSecretExpiresAt, createdAt, updatedAt };
    return { id, url, format, events, isActive, disabledReason, ...times };
  }
}

async function insertNewWebhook(
  client: pg.PoolClient,
  { accountId, channelId }: WebhookOwner,
  { url, events, format = 'standard', verifyToken, appSecret, authToken }: Checked<WebhookInput>,
  keyId: string | null,
): Promise<{ id: string; secret: string }> {
  const id = newId();
  const secret = appSecret ?? authToken ?? generateSecret(format);
  const row = { url, events, secret, format, verifyToken: verifyToken ?? null, keyId };
  if (!(await insertWebhook(client, { id, accountId, channelId }, row, MAX_WEBHOOKS))) {
    throw new AppError('CONFLICT', `The ${channelId ? 'channel' : 'account'} already has ${MAX_WEBHOOKS} webhooks.`);
  }
  return { id, secret };
}

function generateSecret(format: WebhookFormat): string {
  if (format === 'meta') return newAppSecret();
  return format === 'twilio' ? newAuthToken() : newSecret();
}

export function webhookNotFound(): AppError {
  return notFound('webhook');
}
