import type pg from 'pg';
import type { Logger } from 'pino';
import type { Receipt } from '../carriers/carrier.js';
import type { Statement } from '../database/pool.js';
import type { ReceiptEvent, SentEvent } from './status.js';
import { storable } from './status-store.js';
import type { StatusWriter } from './status-writer.js';

const FIND_REFERENCES: Statement = {
  name: 'receipts-find-references',
  text: `SELECT c.carrier, c.carrier_message_id, c.message_id
         FROM unnest($1::text[], $2::text[]) AS r(carrier, carrier_message_id)
         JOIN carrier_references c ON c.carrier = r.carrier AND c.carrier_message_id = r.carrier_message_id`,
};

/** Of some messages, those that a receipt may still move once they are marked sent, and those that exist at all. */
const FIND_STATES: Statement = {
  name: 'receipts-find-states',
  text: `SELECT m.id, m.status IN ('queued', 'sending') AS early FROM unnest($1::uuid[]) AS r(id)
         JOIN messages m ON m.id = r.id`,
};

const STORE_EARLY: Statement = {
  name: 'receipts-store-early',
  text: `INSERT INTO early_receipts (carrier, carrier_message_id, message_id, status, occurred_at, error_code, error_message)
         SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[], $4::message_status[], $5::timestamptz[], $6::text[],
                              $7::text[])`,
};

const ANY_EARLY: Statement = { name: 'receipts-any-early', text: 'SELECT 1 FROM early_receipts LIMIT 1' };

/** Takes the stored receipts of messages that are no longer `queued` or `sending`. */
const FIND_RIPE: Statement = {
  name: 'receipts-find-ripe',
  text: `SELECT e.id, m.id AS message_id, e.status, e.occurred_at, e.error_code, e.error_message
         FROM early_receipts e
         LEFT JOIN carrier_references c ON c.carrier = e.carrier AND c.carrier_message_id = e.carrier_message_id
         JOIN messages m ON m.id = coalesce(e.message_id, c.message_id)
         WHERE m.status NOT IN ('queued', 'sending')
         ORDER BY e.id LIMIT 1000`,
};

const DELETE_EARLY: Statement = {
  name: 'receipts-delete-early',
  text: 'DELETE FROM early_receipts WHERE id = ANY($1::bigint[])',
};

export interface ReceiptDeskOptions {
  /** Reaches rows by key only (see openPool). */
  pool: pg.Pool;
  log: Logger;
  writer(): StatusWriter;
}

/**
 * Where every carrier's receipts arrive. A receipt is applied, stored because its message is not marked sent yet, or
 * dropped because the message is already past it.
 */
export class ReceiptDesk {
  readonly #options: ReceiptDeskOptions;
  #collecting: Promise<void> | null = null;
  #collectAgain = false;

  constructor(options: ReceiptDeskOptions) {
    this.#options = options;
  }

  /** Resolves once every receipt is applied or stored: only then may a carrier be told so. */
  async take(receipts: readonly Receipt[]): Promise<void> {
    const found = await this.#withMessageIds(receipts);
    const results = await Promise.all(
      found.map(async (receipt) => (receipt.messageId ? this.#options.writer().write(toEvent(receipt)) : false)),
    );
    const left = found.filter((_, index) => !results[index]);
    if (left.length > 0) await this.#storeEarly(left);
  }

  /** Looks for stored receipts of messages that were just marked sent; to be called after that commit. */
  afterSent(_events: readonly SentEvent[]): void {
    this.#collectAgain = true;
    this.#collecting ??= this.#collectWhileAsked().finally(() => {
      this.#collecting = null;
    });
  }

  /** Applies every stored receipt whose message has been marked sent meanwhile. */
  async collect(): Promise<void> {
    const { pool } = this.#options;
    for (;;) {
      const any = await pool.query(ANY_EARLY);
      if (any.rows.length === 0) return;
      const { rows } = await pool.query<RipeRow>(FIND_RIPE);
      if (rows.length === 0) return;
      await Promise.all(rows.map((row) => this.#options.writer().write(ripeEvent(row))));
      await pool.query({ ...DELETE_EARLY, values: [rows.map((row) => row.id)] });
    }
  }

  /** Resolves once no collection runs. */
  async idle(): Promise<void> {
    while (this.#collecting) await this.#collecting;
  }

  async #collectWhileAsked(): Promise<void> {
    while (this.#collectAgain) {
      this.#collectAgain = false;
      // The relay sweeps what is left behind here.
      await this.collect().catch((error) =>
        this.#options.log.warn({ err: error }, 'stored receipts wait for the store'),
      );
    }
  }

  async #withMessageIds(receipts: readonly Receipt[]): Promise<Receipt[]> {
    const unknown = receipts.filter((receipt) => !receipt.messageId);
    if (unknown.length === 0) return [...receipts];
    const { rows } = await this.#options.pool.query<ReferenceRow>({
      ...FIND_REFERENCES,
      values: [unknown.map((r) => r.carrier), unknown.map((r) => storable(r.carrierMessageId))],
    });
    const ids = new Map(rows.map((row) => [`${row.carrier} ${row.carrier_message_id}`, row.message_id]));
    return receipts.map((receipt) =>
      receipt.messageId
        ? receipt
        : { ...receipt, messageId: ids.get(`${receipt.carrier} ${storable(receipt.carrierMessageId)}`) },
    );
  }

  async #storeEarly(receipts: readonly Receipt[]): Promise<void> {
    const { pool } = this.#options;
    const ids = receipts.flatMap((receipt) => receipt.messageId ?? []);
    const { rows } = await pool.query<{ id: string; early: boolean }>({ ...FIND_STATES, values: [ids] });
    const states = new Map(rows.map((row) => [row.id, row.early]));
    // No row at all: the commit that makes it may still be under way.
    const early = receipts.filter((receipt) => !receipt.messageId || states.get(receipt.messageId) !== false);
    if (early.length === 0) return;
    await pool.query({
      ...STORE_EARLY,
      values: [
        early.map((r) => r.carrier),
        early.map((r) => storable(r.carrierMessageId)),
        early.map((r) => r.messageId ?? null),
        early.map((r) => r.status),
        early.map((r) => r.occurredAt.toISOString()),
        early.map((r) => storable(r.errorCode ?? null)),
        early.map((r) => storable(r.errorMessage ?? null)),
      ],
    });
  }
}

interface ReferenceRow {
  carrier: string;
  carrier_message_id: string;
  message_id: string;
}

interface RipeRow {
  id: string;
  message_id: string;
  status: ReceiptEvent['status'];
  occurred_at: Date;
  error_code: string | null;
  error_message: string | null;
}

function toEvent(receipt: Receipt): ReceiptEvent {
  return {
    type: 'receipt',
    id: receipt.messageId as string,
    status: receipt.status,
    at: receipt.occurredAt,
    errorCode: receipt.errorCode ?? null,
    errorMessage: receipt.errorMessage ?? null,
  };
}

function ripeEvent(row: RipeRow): ReceiptEvent {
  return {
    type: 'receipt',
    id: row.message_id,
    status: row.status,
    at: row.occurred_at,
    errorCode: row.error_code,
    errorMessage: row.error_message,
  };
}
