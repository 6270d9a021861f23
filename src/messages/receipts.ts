import type pg from 'pg';
import type { Logger } from 'pino';
import type { Receipt } from '../carriers/carrier.js';
import type { Statement } from '../database/pool.js';
import { GroupCommit } from './group-commit.js';
import { PartReceipts } from './part-receipts.js';
import type { ReceiptEvent, SentEvent } from './status.js';
import { storable } from './status-store.js';
import type { StatusWriter } from './status-writer.js';

const FIND_REFERENCES: Statement = {
  name: 'receipts-find-references',
  text: `SELECT c.carrier, c.carrier_message_id, c.message_id, NULL AS part
         FROM unnest($1::text[], $2::text[]) AS r(carrier, carrier_message_id)
         JOIN carrier_references c ON c.carrier = r.carrier AND c.carrier_message_id = r.carrier_message_id
         UNION ALL
         SELECT p.carrier, p.carrier_message_id, p.message_id, p.part
         FROM unnest($1::text[], $2::text[]) AS r(carrier, carrier_message_id)
         JOIN message_parts p ON p.carrier = r.carrier AND p.carrier_message_id = r.carrier_message_id
         ORDER BY message_id`,
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
  text: `SELECT e.id, m.id AS message_id, CASE WHEN p.message_id = m.id THEN p.part END AS part, e.status,
                e.occurred_at, e.error_code, e.error_message
         FROM early_receipts e
         LEFT JOIN carrier_references c ON c.carrier = e.carrier AND c.carrier_message_id = e.carrier_message_id
         LEFT JOIN LATERAL (
           SELECT p.message_id, p.part FROM message_parts p
           WHERE e.message_id IS NULL AND p.carrier = e.carrier AND p.carrier_message_id = e.carrier_message_id
           ORDER BY p.message_id DESC LIMIT 1
         ) p ON true
         JOIN messages m ON m.id = coalesce(e.message_id, greatest(c.message_id, p.message_id))
         WHERE m.status NOT IN ('queued', 'sending')
         ORDER BY e.id LIMIT 1000`,
};

const DELETE_EARLY: Statement = {
  name: 'receipts-delete-early',
  text: 'DELETE FROM early_receipts WHERE id = ANY($1::bigint[])',
};

/** Receipts that one look-up of references takes. */
const LOOKUP_RECEIPTS = 1_000;

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
  /** Receipts that come one by one while references are looked up are looked up together next. */
  readonly #lookups: GroupCommit<readonly Receipt[], FoundReceipt[]>;
  readonly #parts: PartReceipts;
  #collecting: Promise<void> | null = null;
  #collectAgain = false;

  constructor(options: ReceiptDeskOptions) {
    this.#options = options;
    this.#lookups = new GroupCommit({
      commit: (groups) => this.#find(groups),
      weigh: (receipts) => receipts.length,
      batchWeight: LOOKUP_RECEIPTS,
      // Whoever hands receipts over waits for them, which bounds the line.
      waitingLimit: Number.POSITIVE_INFINITY,
    });
    this.#parts = new PartReceipts(options);
  }

  /** Resolves once every receipt is applied or stored: only then may a carrier be told so. */
  async take(receipts: readonly Receipt[]): Promise<void> {
    const unknown = receipts.filter((receipt) => !receipt.messageId);
    const looked = unknown.length > 0 ? await this.#lookups.add(unknown) : [];
    const found: FoundReceipt[] =
      unknown.length > 0 ? [...receipts.filter((receipt) => receipt.messageId), ...looked] : [...receipts];
    const results = await Promise.all(found.map((receipt) => this.#apply(receipt)));
    const left = found.filter((_, index) => !results[index]);
    if (left.length > 0) await this.#storeEarly(left);
  }

  /** False when the receipt must be looked at again, or when it moved nothing. */
  async #apply(receipt: FoundReceipt): Promise<boolean> {
    if (!receipt.messageId) return false;
    const event = toEvent(receipt, receipt.messageId);
    return receipt.part ? this.#applyPart(event, receipt.part) : this.#options.writer().write(event);
  }

  async #applyPart({ id: messageId, ...event }: ReceiptEvent, part: number): Promise<boolean> {
    const { early, event: combined } = await this.#parts.apply({ ...event, messageId, part });
    if (combined) await this.#options.writer().write(combined);
    return !early;
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
      await Promise.all(
        rows.map((row) => {
          const event = ripeEvent(row);
          return row.part === null ? this.#options.writer().write(event) : this.#applyPart(event, row.part);
        }),
      );
      await pool.query({ ...DELETE_EARLY, values: [rows.map((row) => row.id)] });
    }
  }

  /** Resolves once no collection runs. */
  async idle(): Promise<void> {
    await this.#lookups.idle();
    await this.#parts.idle();
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

  async #find(groups: readonly (readonly Receipt[])[]): Promise<FoundReceipt[][]> {
    const receipts = groups.flat();
    const { rows } = await this.#options.pool.query<ReferenceRow>({
      ...FIND_REFERENCES,
      values: [receipts.map((r) => r.carrier), receipts.map((r) => storable(r.carrierMessageId))],
    });
    // A carrier that gives an id a second time means the newer message, which comes last.
    const found = new Map(rows.map((row) => [`${row.carrier} ${row.carrier_message_id}`, row]));
    return groups.map((group) =>
      group.map((receipt) => {
        const row = found.get(`${receipt.carrier} ${storable(receipt.carrierMessageId)}`);
        return { ...receipt, messageId: row?.message_id, part: row?.part ?? undefined };
      }),
    );
  }

  async #storeEarly(receipts: readonly FoundReceipt[]): Promise<void> {
    const { pool } = this.#options;
    const ids = receipts.flatMap(({ messageId, part }) => (messageId && !part ? messageId : []));
    const { rows } = await pool.query<{ id: string; early: boolean }>({ ...FIND_STATES, values: [ids] });
    const states = new Map(rows.map((row) => [row.id, row.early]));
    // No row at all: the commit that makes it may still be under way.
    const early = receipts.filter(
      ({ messageId, part }) => !messageId || part !== undefined || states.get(messageId) !== false,
    );
    if (early.length === 0) return;
    await pool.query({
      ...STORE_EARLY,
      values: [
        early.map((r) => r.carrier),
        early.map((r) => storable(r.carrierMessageId)),
        // That of a part is found again by its carrier's id, which names the part too.
        early.map((r) => (r.part === undefined ? (r.messageId ?? null) : null)),
        early.map((r) => r.status),
        early.map((r) => r.occurredAt.toISOString()),
        early.map((r) => storable(r.errorCode ?? null)),
        early.map((r) => storable(r.errorMessage ?? null)),
      ],
    });
  }
}

/** A receipt whose carrier's id was looked up. */
interface FoundReceipt extends Receipt {
  /** Left out where the receipt is of a whole message. */
  part?: number;
}

interface ReferenceRow {
  carrier: string;
  carrier_message_id: string;
  message_id: string;
  part: number | null;
}

interface RipeRow {
  id: string;
  message_id: string;
  part: number | null;
  status: ReceiptEvent['status'];
  occurred_at: Date;
  error_code: string | null;
  error_message: string | null;
}

function toEvent(receipt: Receipt, id: string): ReceiptEvent {
  return {
    type: 'receipt',
    id,
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
