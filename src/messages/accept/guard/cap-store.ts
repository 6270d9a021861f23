import type pg from 'pg';
import { lowestIdAt } from '../../../platform/ids.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import { MAX_SCHEDULE_DAYS } from '../../compose/schedule.js';

export interface CappedMessage {
  recipient: string;
  /** When the message is sent: its scheduled time, or the time of its acceptance. */
  at: Date;
}

/** Messages that reached nobody do not count, unless a carrier may have accepted them. */
const FIND_CAPPED: Statement = {
  name: 'frequency-cap-messages',
  text: `SELECT m.recipient, coalesce(m.scheduled_at, m.created_at) AS at FROM messages m
         WHERE m.is_capped AND m.account_id = $1 AND m.recipient = ANY($2::text[]) AND m.id >= $3::uuid
           AND coalesce(m.scheduled_at, m.created_at) > $4 AND coalesce(m.scheduled_at, m.created_at) < $5
           AND (m.maybe_accepted OR m.status NOT IN ('undelivered', 'failed', 'rejected', 'expired', 'canceled'))`,
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** Finds messages that count toward the frequency cap and are sent between two times, both exclusive. */
export async function findCappedMessages(
  client: pg.PoolClient,
  { accountId, recipients }: { accountId: string; recipients: readonly string[] },
  from: Date,
  to: Date,
): Promise<CappedMessage[]> {
  const firstId = lowestIdAt(new Date(from.getTime() - (MAX_SCHEDULE_DAYS + 1) * DAY_MS));
  const values = [accountId, recipients, firstId, from.toISOString(), to.toISOString()];
  const { rows } = await client.query<CappedMessage>({ ...FIND_CAPPED, values });
  return rows;
}
