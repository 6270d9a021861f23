import type pg from 'pg';
import type { Logger } from 'pino';
import { IDEMPOTENCY_LIFETIME_MS } from '../../messages/accept/idempotency.js';
import type { Clock } from '../../platform/clock.js';
import { lowestIdAt } from '../../platform/ids.js';
import { receiveIncompleteSms } from '../inbound/receive-sms.js';
import { sweepDeliveries } from '../webhooks/sweep.js';

const EVERY_MS = 60_000;
/** Rows that one statement deletes, so that none holds its locks for long. */
const STEP = 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Receipts that found no message, and the ids by which receipts find one, are useless after this many days. */
const RECEIPT_DAYS = 7;
const REFERENCE_DAYS = 35;
/** Callbacks of carriers that could not be worked off are kept for an operator to look at. */
const CALLBACK_DAYS = 35;
/** A carrier that got no answer reports an inbound message again for days; that of a deleted contact is known so long. */
const SEEN_DAYS = 30;
/** Nothing older is in `last7Days`; the totals stay, and so do the last requests of a channel. */
const USAGE_DAYS = 8;
const KEPT_REQUESTS = 20;

export interface MaintenanceOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  /** After how many days a message or a run that nothing more can happen to is deleted; 0 keeps all. */
  retentionDays: number;
  /** Rows that one statement deletes; 5,000 unless told. */
  step?: number;
}

/** Deletes what has served its time, a few thousand rows at once. Any number of processes may run it. */
export class Maintenance {
  readonly #options: MaintenanceOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running
        .then(() => this.sweep())
        .catch((error) => {
          this.#options.log.warn({ err: error }, 'old rows could not be deleted');
        });
    }, EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Deletes everything that is due now, and stores what has waited long enough. */
  async sweep(): Promise<void> {
    const now = this.#options.clock.now().getTime();
    await this.#delete(
      `DELETE FROM idempotency_keys WHERE (account_id, key) IN (
         SELECT account_id, key FROM idempotency_keys WHERE created_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      new Date(now - IDEMPOTENCY_LIFETIME_MS).toISOString(),
    );
    await this.#delete(
      'DELETE FROM early_receipts WHERE id IN (SELECT id FROM early_receipts WHERE received_at <= $1 LIMIT $2)',
      new Date(now - RECEIPT_DAYS * DAY_MS).toISOString(),
    );
    await this.#delete(
      `DELETE FROM carrier_references WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM carrier_references WHERE created_at <= $1 LIMIT $2))`,
      new Date(now - REFERENCE_DAYS * DAY_MS).toISOString(),
    );
    await this.#delete(
      'DELETE FROM carrier_callbacks WHERE id IN (SELECT id FROM carrier_callbacks WHERE set_aside_at <= $1 LIMIT $2)',
      new Date(now - CALLBACK_DAYS * DAY_MS).toISOString(),
    );
    await this.#delete(
      `DELETE FROM inbound_messages WHERE id IN (
         SELECT id FROM inbound_messages WHERE conversation_id IS NULL AND id < $1::uuid
         ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      lowestIdAt(new Date(now - SEEN_DAYS * DAY_MS)),
    );
    await this.#sweepUsage(new Date(now - USAGE_DAYS * DAY_MS).toISOString());
    await sweepDeliveries(this.#options.pool, { now: new Date(now), step: STEP, stopped: () => this.#stopped });
    const { retentionDays } = this.#options;
    if (retentionDays > 0) {
      // Ids begin with their time, so the oldest rows are one end of the primary key.
      await this.#delete(
        `DELETE FROM messages WHERE id IN (
           SELECT id FROM messages WHERE id < $1::uuid AND next_look IS NULL ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        lowestIdAt(new Date(now - retentionDays * DAY_MS)),
      );
      await this.#delete(
        `DELETE FROM message_parts WHERE ctid = ANY (ARRAY(
           SELECT p.ctid FROM message_parts p
           WHERE p.message_id < $1::uuid AND NOT EXISTS (SELECT FROM messages m WHERE m.id = p.message_id) LIMIT $2))`,
        lowestIdAt(new Date(now - retentionDays * DAY_MS)),
      );
      await this.#delete(
        `DELETE FROM fallbacks WHERE message_id IN (
           SELECT message_id FROM fallbacks WHERE message_id < $1::uuid AND next_look IS NULL ORDER BY message_id LIMIT $2)`,
        lowestIdAt(new Date(now - retentionDays * DAY_MS)),
      );
      // What has ended by then began before it.
      await this.#delete(
        `DELETE FROM automation_runs WHERE id IN (
           SELECT id FROM automation_runs WHERE id < $1::uuid AND completed_at < $3
           ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        lowestIdAt(new Date(now - retentionDays * DAY_MS)),
        new Date(now - retentionDays * DAY_MS).toISOString(),
      );
    }
    await receiveIncompleteSms(this.#options);
  }

  /** Channel by channel, for the indexes begin with it. */
  async #sweepUsage(border: string): Promise<void> {
    await this.#delete(
      `DELETE FROM api_requests WHERE id IN (
         SELECT old.id FROM usage_totals t CROSS JOIN LATERAL (
           SELECT id FROM api_requests
           WHERE channel_id = t.channel_id AND created_at <= $1 AND created_at < (
             SELECT created_at FROM api_requests WHERE channel_id = t.channel_id
             ORDER BY created_at DESC OFFSET ${KEPT_REQUESTS - 1} LIMIT 1)
           ORDER BY created_at LIMIT $2) old LIMIT $2)`,
      border,
    );
    await this.#delete(
      `DELETE FROM usage_minutes WHERE (channel_id, minute) IN (
         SELECT t.channel_id, old.minute FROM usage_totals t CROSS JOIN LATERAL (
           SELECT minute FROM usage_minutes WHERE channel_id = t.channel_id AND minute <= $1
           ORDER BY minute LIMIT $2) old LIMIT $2)`,
      border,
    );
  }

  /** @param sql deletes what lies before $1, $2 rows at the most; `more` are its $3 and so on */
  async #delete(sql: string, border: string, ...more: string[]): Promise<void> {
    const { pool, step = STEP } = this.#options;
    for (;;) {
      const { rowCount } = await pool.query(sql, [border, step, ...more]);
      if (this.#stopped || (rowCount ?? 0) < step) return;
    }
  }
}
