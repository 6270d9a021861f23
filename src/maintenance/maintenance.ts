import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../clock.js';
import { lowestIdAt } from '../ids.js';
import { IDEMPOTENCY_LIFETIME_MS } from '../messages/idempotency.js';

const EVERY_MS = 60_000;
/** Rows that one statement deletes, so that none holds its locks for long. */
const STEP = 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Receipts that found no message, and the ids by which receipts find one, are useless after this many days. */
const RECEIPT_DAYS = 7;
const REFERENCE_DAYS = 35;

export interface MaintenanceOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  /** After how many days a message that nothing more can happen to is deleted; 0 keeps all. */
  retentionDays: number;
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

  /** Deletes everything that is due now. */
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
    const { retentionDays } = this.#options;
    if (retentionDays > 0) {
      // Ids begin with their time, so the oldest rows are one end of the primary key.
      await this.#delete(
        `DELETE FROM messages WHERE id IN (
           SELECT id FROM messages WHERE id < $1::uuid AND next_look IS NULL ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        lowestIdAt(new Date(now - retentionDays * DAY_MS)),
      );
    }
  }

  async #delete(sql: string, border: string): Promise<void> {
    for (;;) {
      const { rowCount } = await this.#options.pool.query(sql, [border, STEP]);
      if (this.#stopped || (rowCount ?? 0) < STEP) return;
    }
  }
}
