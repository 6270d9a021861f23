import type pg from 'pg';
import type { WebhookEventType } from '../../messages/events/webhook-events.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { PrismaClient, WebhookFormat, Webhook as WebhookRow } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type Connection, within } from '../../platform/store/within.js';
import { ROTATION_OVERLAP_MS } from './delivery/retry-schedule.js';
import { type Get, shakeHands } from './meta/handshake.js';
import { checkMetaEvents, checkMetaInput, checkStandardInput } from './meta/rules.js';
import { newAppSecret } from './meta/signature.js';
import { newSecret } from './signature.js';
import { checkTwilioEvents, checkTwilioInput } from './twilio/rules.js';
import { newAuthToken } from './twilio/signature.js';
import { checkWebhookUrl } from './url.js';
import { findMetaWebhook, insertWebhook, lockWebhook, rotateSecret, updateWebhook } from './webhook-store.js';

/** Webhooks of one channel, and of one account as a whole. */
export const MAX_WEBHOOKS = 50;

/** A webhook as its owner sees it: without its secrets. */
export interface Webhook {
  id: string;
  url: string;
  /** In which shape it is told. */
  format: WebhookFormat;
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

export interface WebhookInput {
  url: string;
  events: readonly WebhookEventType[];
  /** `standard` unless told. */
  format?: WebhookFormat | undefined;
  /** Of Meta's format: what its endpoint is asked for. */
  verifyToken?: string | undefined;
  /** Of Meta's format: signs deliveries; made here unless given. */
  appSecret?: string | undefined;
  /** Of Twilio's format: signs deliveries; made here unless given. */
  authToken?: string | undefined;
}

export interface WebhookChanges {
  url?: string | undefined;
  events?: readonly WebhookEventType[] | undefined;
  isActive?: boolean | undefined;
  verifyToken?: string | undefined;
}

/** What obeys every rule, and whose endpoint has shown that it is meant. */
declare const CHECKED: unique symbol;
export type Checked<T> = T & { readonly [CHECKED]: true };

export interface WebhooksOptions {
  pool: Connection;
  prisma: Pick<PrismaClient, 'webhook' | 'channel'>;
  clock: Clock;
  /** Whether private addresses may be called. */
  webhookAllowPrivate: boolean;
  /** Asks the endpoint of a webhook in Meta's format. */
  askEndpoint: Get;
}

/** The webhooks of channels and accounts: what their owners may do with them. */
export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /**
   * Checks a webhook before it is made. One in Meta's format asks its endpoint, so this belongs before any transaction.
   * @throws {AppError} INVALID_REQUEST for a URL that may not be called, and for what does not fit the format
   */
  async check(owner: WebhookOwner, input: WebhookInput): Promise<Checked<WebhookInput>> {
    const { url, format = 'standard', verifyToken } = input;
    this.#checkUrl(url);
    if (format === 'meta') {
      checkMetaInput(input);
      await this.#requireWhatsapp(owner);
      await shakeHands(this.#options.askEndpoint, { url, verifyToken: verifyToken as string });
    } else if (format === 'twilio') checkTwilioInput(input);
    else checkStandardInput(input);
    return input as Checked<WebhookInput>;
  }

  /**
   * Checks changes of a webhook, as `check`.
   * @throws {AppError} NOT_FOUND, or INVALID_REQUEST
   */
  async checkChanges(owner: WebhookOwner, id: string, changes: WebhookChanges): Promise<Checked<WebhookChanges>> {
    const { url, events, verifyToken } = changes;
    if (url !== undefined) this.#checkUrl(url);
    const { prisma, askEndpoint } = this.#options;
    const now = await prisma.webhook.findFirst({ where: { id, ...owner, isCallback: false } });
    if (!now) throw noWebhook();
    if (now.format === 'meta') {
      if (events) checkMetaEvents(events);
      const asked = { url: url ?? now.url, verifyToken: verifyToken ?? now.verifyToken ?? '' };
      if (asked.url !== now.url || asked.verifyToken !== now.verifyToken) await shakeHands(askEndpoint, asked);
    } else {
      checkStandardInput({ verifyToken }, now.format);
      if (now.format === 'twilio' && events) checkTwilioEvents(events);
    }
    return changes as Checked<WebhookChanges>;
  }

  /**
   * Makes a webhook that was checked; this and `rotateSecret` are the only times that its secret is told.
   * @param keyId the API key that asks; null in the console. Its spending guard applies to TwiML replies from the URL
   * @throws {AppError} CONFLICT when the owner has MAX_WEBHOOKS
   */
  async create(
    owner: WebhookOwner,
    input: Checked<WebhookInput>,
    keyId: string | null = null,
  ): Promise<WebhookWithSecret> {
    const { id, secret } = await within(this.#options.pool, (client) => insert(client, owner, input, keyId));
    return { ...(await this.get(owner, id)), secret };
  }

  /**
   * Makes a webhook of Meta's format that was checked; where the channel has one with its URL, that one is enabled instead, and
   * gets its verify token. Of two who ask at once, one makes it.
   * @throws {AppError} as `create`
   */
  async ensureMeta(
    owner: WebhookOwner & { channelId: string },
    input: Checked<WebhookInput>,
    keyId: string,
  ): Promise<void> {
    await within(this.#options.pool, async (client) => {
      const id = await findMetaWebhook(client, owner, input.url);
      if (id === null) await insert(client, owner, input, keyId);
      else await updateWebhook(client, { id, ...owner }, { verifyToken: input.verifyToken, isActive: true });
    });
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
   * Changes the given fields. A new URL or enabling clears `failingSince`; pending deliveries continue.
   * @param keyId the API key that asks; null in the console. A URL that it changes is its own from then on
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
   * Gives a webhook a new secret. For a day the old one signs beside it; an even older one no longer does. In the formats
   * of Meta and Twilio there is one signature, and the new secret alone makes it at once.
   * @throws {AppError} NOT_FOUND
   */
  async rotateSecret(owner: WebhookOwner, id: string): Promise<WebhookWithSecret> {
    const { pool, clock } = this.#options;
    const { format } = await this.get(owner, id);
    const secret = newSecretOf(format);
    const previousExpiresAt = new Date(clock.now().getTime() + ROTATION_OVERLAP_MS);
    await rotateSecret(pool, { id, ...owner }, secret, previousExpiresAt);
    return { ...(await this.get(owner, id)), secret };
  }

  async #requireWhatsapp({ accountId, channelId }: WebhookOwner): Promise<void> {
    const { prisma } = this.#options;
    const channel = channelId === null ? null : await prisma.channel.findFirst({ where: { id: channelId, accountId } });
    if (channel?.kind !== 'whatsapp') {
      throw invalidField('format', "must be standard: Meta's tells of a WhatsApp channel, and there is none here");
    }
  }

  #checkUrl(url: string): void {
    checkWebhookUrl(url, { allowPrivate: this.#options.webhookAllowPrivate });
  }

  #present(row: WebhookRow): Webhook {
    const { id, url, format, events, isActive, disabledReason, failingSince, createdAt, updatedAt } = row;
    const expiry = row.previousSecretExpiresAt;
    const previousSecretExpiresAt = expiry && expiry > this.#options.clock.now() ? expiry : null;
    const times = { failingSince, previousSecretExpiresAt, createdAt, updatedAt };
    return { id, url, format, events, isActive, disabledReason, ...times };
  }
}

async function insert(
  client: pg.PoolClient,
  { accountId, channelId }: WebhookOwner,
  { url, events, format = 'standard', verifyToken, appSecret, authToken }: Checked<WebhookInput>,
  keyId: string | null,
): Promise<{ id: string; secret: string }> {
  const id = newId();
  const secret = appSecret ?? authToken ?? newSecretOf(format);
  const row = { url, events, secret, format, verifyToken: verifyToken ?? null, keyId };
  if (!(await insertWebhook(client, { id, accountId, channelId }, row, MAX_WEBHOOKS))) {
    throw new AppError('CONFLICT', `The ${channelId ? 'channel' : 'account'} already has ${MAX_WEBHOOKS} webhooks.`);
  }
  return { id, secret };
}

function newSecretOf(format: WebhookFormat): string {
  if (format === 'meta') return newAppSecret();
  return format === 'twilio' ? newAuthToken() : newSecret();
}

export function noWebhook(): AppError {
  return new AppError('NOT_FOUND', 'There is no webhook with this id.');
}
