import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { MessageStatus } from '../message-status.js';

/** Null matches any value. */
export interface MessageFilter {
  accountId: string;
  surface: 'a' | null;
  /** Digits with country code. */
  recipient: string | null;
  /** First and last digits of the recipient. */
  recipientStart: string | null;
  recipientEnd: string | null;
  sender: string | null;
  status: MessageStatus | null;
  kind: 'sms' | 'whatsapp' | null;
  channelId: string | null;
  carrier: string | null;
  /** Period of acceptance, with an inclusive start and an exclusive end. */
  createdFrom: Date | null;
  createdTo: Date | null;
  reference: string | null;
}

export function createAccountFilter(accountId: string): MessageFilter {
  return {
    accountId,
    surface: null,
    recipient: null,
    recipientStart: null,
    recipientEnd: null,
    sender: null,
    status: null,
    kind: null,
    channelId: null,
    carrier: null,
    createdFrom: null,
    createdTo: null,
    reference: null,
  };
}

/** The `floor` is inclusive and the `ceiling` exclusive. */
export interface IdRange {
  floor: string;
  ceiling: string;
}

/**
 * A ledger line has a higher ID than its messages, because each commit writes the ledger line after assigning the message IDs.
 * Messages sent outside Heliograph have no ledger line.
 */
const FIND_NEWEST: PlannedStatement = {
  text: `SELECT (SELECT id FROM ledger_entries WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT 1) AS line,
           (SELECT newest_echo_id FROM channels WHERE account_id = $1 AND newest_echo_id IS NOT NULL
            ORDER BY newest_echo_id DESC LIMIT 1) AS echo`,
};

interface NewestIds {
  line: string | null;
  echo: string | null;
}

/** @param below ledger lines with this or a higher ID are ignored */
export async function findNewest(pool: pg.Pool, accountId: string, below: string): Promise<NewestIds> {
  const { rows } = await pool.query<NewestIds>({ ...FIND_NEWEST, values: [accountId, below] });
  return rows[0] as NewestIds;
}

const FIND_FLOOR: PlannedStatement = {
  text: 'SELECT id FROM messages WHERE id >= $1 AND id < $2 ORDER BY id DESC OFFSET $3 LIMIT 1',
};

const FIND_FLOOR_BY_REFERENCE: PlannedStatement = {
  text: `SELECT message_id AS id FROM message_references
         WHERE message_id >= $1 AND message_id < $2 AND account_id = $4 AND reference = $5
         ORDER BY message_id DESC OFFSET $3 LIMIT 1`,
};

/** Returns the ID that is `rows` rows below the ceiling, or null if the range has fewer rows. */
export async function findFloor(
  pool: pg.Pool,
  { accountId, reference }: Pick<MessageFilter, 'accountId' | 'reference'>,
  { floor, ceiling }: IdRange,
  rows: number,
): Promise<string | null> {
  const values = [floor, ceiling, rows - 1];
  const result = await pool.query<{ id: string }>(
    reference === null
      ? { ...FIND_FLOOR, values }
      : { ...FIND_FLOOR_BY_REFERENCE, values: [...values, accountId, reference] },
  );
  return result.rows[0]?.id ?? null;
}

/** SQL condition on `messages m`, with $1 floor, $2 ceiling, $3 limit, and from $4 the values of `toFilterValues`. */
export const MATCHES_FILTER = `m.account_id = $4 AND ($5::surface IS NULL OR m.surface = $5)
  AND ($6::text IS NULL OR m.recipient = $6) AND ($7::text IS NULL OR starts_with(m.recipient, $7))
  AND ($8::text IS NULL OR right(m.recipient, length($8)) = $8) AND ($9::text IS NULL OR m.sender = $9)
  AND ($10::message_status IS NULL OR m.status = $10) AND ($11::channel_kind IS NULL OR m.kind = $11)
  AND ($12::uuid IS NULL OR m.channel_id = $12) AND ($13::text IS NULL OR m.carrier = $13)
  AND ($14::timestamptz IS NULL OR m.created_at >= $14) AND ($15::timestamptz IS NULL OR m.created_at < $15)`;

/** Parameters from $4 on. */
export function toFilterValues(filter: MessageFilter): (string | null)[] {
  return [
    filter.accountId,
    filter.surface,
    filter.recipient,
    filter.recipientStart,
    filter.recipientEnd,
    filter.sender,
    filter.status,
    filter.kind,
    filter.channelId,
    filter.carrier,
    filter.createdFrom?.toISOString() ?? null,
    filter.createdTo?.toISOString() ?? null,
  ];
}

const FIND: PlannedStatement = {
  text: `SELECT m.id FROM messages m WHERE m.id >= $1 AND m.id < $2 AND ${MATCHES_FILTER} ORDER BY m.id DESC LIMIT $3`,
};

const FIND_BY_REFERENCE: PlannedStatement = {
  text: `SELECT m.id FROM message_references r JOIN messages m ON m.id = r.message_id
         WHERE r.account_id = $4 AND r.reference = $16 AND r.message_id >= $1 AND r.message_id < $2 AND ${MATCHES_FILTER}
         ORDER BY r.message_id DESC LIMIT $3`,
};

/** Newest first. */
export async function findInRange(
  pool: pg.Pool,
  filter: MessageFilter,
  { floor, ceiling }: IdRange,
  limit: number,
): Promise<string[]> {
  const { reference } = filter;
  const values = [floor, ceiling, limit, ...toFilterValues(filter)];
  const { rows } = await pool.query<{ id: string }>(
    reference === null ? { ...FIND, values } : { ...FIND_BY_REFERENCE, values: [...values, reference] },
  );
  return rows.map(({ id }) => id);
}
