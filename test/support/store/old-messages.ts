import { deriveId } from '../../../src/platform/ids.js';
import type { TestStore } from '../open-test-store.js';

interface OldMessages {
  /** Acceptance time of the first message, which further messages follow at intervals of a millisecond. */
  from: Date;
  count: number;
  ids?: readonly string[];
  /** Reference of every second message. */
  reference?: string;
  /** Whether the messages' statuses can still change. */
  isInTransit?: boolean;
}

/** ID of an account that has no row, because no constraint on messages requires one. */
export const OLD_ACCOUNT = '01920000-0000-7000-8000-000000000001';

export const OLD_NUMBER = '15005550111';

export async function insertOldMessages(
  { pool }: Pick<TestStore, 'pool'>,
  { from, count, ids, reference, isInTransit = false }: OldMessages,
): Promise<string[]> {
  const times = Array.from({ length: count }, (_, index) => new Date(from.getTime() + index));
  const messageIds = ids ?? times.map((time, index) => deriveId(time, `message ${index}`));
  await pool.query(
    `WITH inserted AS (
       INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status, priority,
         parts, carrier, sender, recipient, body, reference)
       SELECT id, $3, at, at + interval '1 day', CASE WHEN $4 THEN at + interval '1 day' END, 10000, 'a', 'sms',
         CASE WHEN $4 THEN 'sent' ELSE 'delivered' END::message_status, 0, 1, 'simulator', 'Acme', '${OLD_NUMBER}', 'Hello',
         CASE WHEN no % 2 = 0 THEN $5 END
       FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS t(id, at, no)
       RETURNING id, account_id, reference
     )
     INSERT INTO message_references (account_id, reference, message_id)
     SELECT account_id, reference, id FROM inserted WHERE reference IS NOT NULL`,
    [messageIds, times, OLD_ACCOUNT, isInTransit, reference ?? null],
  );
  return [...messageIds];
}
