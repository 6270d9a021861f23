import type pg from 'pg';
import { type AccountStore, inAccountTransaction } from '../../../accounts/account-transaction.js';
import type { CallbackEndpoint } from '../../../messages/compose/notes.js';
import type { Clock } from '../../../platform/clock.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { WebhookFormat } from '../../../platform/generated/prisma/client.js';
import { newId } from '../../../platform/ids.js';
import { ROTATION_OVERLAP_MS } from '../delivery/retry-schedule.js';
import { newSecret } from '../signature.js';
import { checkWebhookUrl } from '../url.js';
import { findEndpoint, insertEndpoint, rotateCallbackSecret } from './endpoint-store.js';

/** Per account. */
export const MAX_CALLBACK_HOSTS = 100;
/** Cached endpoints never change. */
const MAX_CACHED = 10_000;
export interface CallbackFormat {
  format: Exclude<WebhookFormat, 'meta'>;
  /** Request field that contains the URL, named in errors. */
  field: string;
}

const STANDARD: CallbackFormat = { format: 'standard', field: 'callback_url' };

export interface CallbackOptions extends AccountStore {
  pool: pg.Pool;
  clock: Clock;
  webhookAllowPrivate: boolean;
}

/**
 * Callback URLs may differ for every send, so the deliverer tracks health and concurrency per origin (scheme, host and
 * port).
 */
export class CallbackEndpoints {
  readonly #options: CallbackOptions;
  readonly #cache = new Map<string, string>();

  constructor(options: CallbackOptions) {
    this.#options = options;
  }

  /** @throws {AppError} INVALID_REQUEST naming the field if the URL may not be called */
  check(url: string, { field }: Pick<CallbackFormat, 'field'> = STANDARD): void {
    checkWebhookUrl(url, { allowPrivate: this.#options.webhookAllowPrivate, field });
  }

  /** @throws {AppError} INVALID_REQUEST if the URL may not be called, or if the account has too many hosts */
  async resolve(
    accountId: string,
    url: string,
    { format, field }: CallbackFormat = STANDARD,
  ): Promise<CallbackEndpoint> {
    this.check(url, { field });
    // Each format has its own endpoint for a host.
    const host = `${new URL(url).origin}/${format === 'standard' ? '' : `#${format}`}`;
    const key = `${accountId} ${host}`;
    const id = this.#cache.get(key) ?? (await this.#findOrCreate(accountId, host, { format, field }));
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(key, id);
    return { id, url };
  }

  async #findOrCreate(accountId: string, url: string, { format, field }: CallbackFormat): Promise<string> {
    const { pool } = this.#options;
    const existingId = await findEndpoint(pool, accountId, url);
    if (existingId !== null) return existingId;
    const row = { id: newId(), accountId, url, secret: newSecret(), format };
    const endpointId = await inAccountTransaction(this.#options, accountId, (client) =>
      insertEndpoint(client, row, MAX_CALLBACK_HOSTS),
    );
    if (endpointId === null)
      throw invalidField(field, `has a new host, but the account already has ${MAX_CALLBACK_HOSTS} callback hosts`);
    return endpointId;
  }

  /**
   * Returns a new callback secret, which cannot be read again later. The previous secret also signs events for another
   * day.
   */
  async rotateSecret(accountId: string): Promise<{ secret: string; previousSecretExpiresAt: Date | null }> {
    const { clock } = this.#options;
    const secret = newSecret();
    const expiresAt = new Date(clock.now().getTime() + ROTATION_OVERLAP_MS);
    const previousSecretExpiresAt = await inAccountTransaction(this.#options, accountId, (client) =>
      rotateCallbackSecret(client, accountId, secret, expiresAt),
    );
    return { secret, previousSecretExpiresAt };
  }
}
