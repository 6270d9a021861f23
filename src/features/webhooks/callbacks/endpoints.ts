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

/** Hosts that the callback URLs of one account may name. */
export const MAX_CALLBACK_HOSTS = 100;
/** Endpoints that a process remembers. They never change. */
const MAX_KNOWN = 10_000;
/** How a send wants its statuses told, and which field of it names the URL. */
export interface CallbackWish {
  format: Exclude<WebhookFormat, 'meta'>;
  field: string;
}

const STANDARD: CallbackWish = { format: 'standard', field: 'callback_url' };

export interface CallbackOptions extends AccountStore {
  pool: pg.Pool;
  clock: Clock;
  /** Whether private addresses may be called. */
  webhookAllowPrivate: boolean;
}

/**
 * The endpoints of callback URLs. Each send may name another URL, often with an id in it, so what the deliverer knows of
 * an endpoint (does it answer, how many at once) is known of its host: scheme, name and port.
 */
export class CallbackEndpoints {
  readonly #options: CallbackOptions;
  readonly #known = new Map<string, string>();

  constructor(options: CallbackOptions) {
    this.#options = options;
  }

  /** @throws {AppError} INVALID_REQUEST on the field for a URL that may not be called */
  check(url: string, { field }: Pick<CallbackWish, 'field'> = STANDARD): void {
    checkWebhookUrl(url, { allowPrivate: this.#options.webhookAllowPrivate, field });
  }

  /**
   * The endpoint of a URL, made where the account has none for its host.
   * @throws {AppError} INVALID_REQUEST on the field for a URL that may not be called, or for one host too many
   */
  async resolve(accountId: string, url: string, wish: CallbackWish = STANDARD): Promise<CallbackEndpoint> {
    this.check(url, wish);
    // One host may be told in both formats, each an endpoint of its own.
    const host = `${new URL(url).origin}/${wish.format === 'standard' ? '' : `#${wish.format}`}`;
    const place = `${accountId} ${host}`;
    const id = this.#known.get(place) ?? (await this.#find(accountId, host, wish));
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(place, id);
    return { id, url };
  }

  async #find(accountId: string, url: string, { format, field }: CallbackWish): Promise<string> {
    const { pool } = this.#options;
    const known = await findEndpoint(pool, accountId, url);
    if (known !== null) return known;
    const row = { id: newId(), accountId, url, secret: newSecret(), format };
    const made = await inAccountTransaction(this.#options, accountId, (client) =>
      insertEndpoint(client, row, MAX_CALLBACK_HOSTS),
    );
    if (made === null)
      throw invalidField(field, `must name one of the account's ${MAX_CALLBACK_HOSTS} hosts of callbacks`);
    return made;
  }

  /**
   * Makes the account's secret for callbacks, or another one in its place: this is the only time that it is told. For a
   * day the one before signs beside it.
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
