import { type Counted, type CountedEvent, type Counts, readCounts } from '../../src/messages/counters/read-store.js';
import type { Deps } from '../../src/process/startup/deps.js';

/** Counts of messages by event, without zeros. */
export type EventNumbers = Partial<Record<CountedEvent, number>>;

/** Without a time limit. */
export function readAllCounts(deps: Pick<Deps, 'pool'>, accountId: string): Promise<Counts> {
  const [from, to] = [new Date(0), new Date('2100-01-01')];
  return readCounts(deps.pool, { accountId, currency: 'USD', from, to, step: 'day', zone: 'UTC' });
}

export function sumByEvent(counted: readonly Counted[]): EventNumbers {
  const numbers: EventNumbers = {};
  for (const { event, messages } of counted) numbers[event] = (numbers[event] ?? 0) + messages;
  return numbers;
}

/** Computes the expected counts from the account's messages, charges and refunds. */
export async function recountFromMessages({ pool }: Pick<Deps, 'pool'>, accountId: string) {
  const { rows } = await pool.query<{ event: CountedEvent; messages: number }>(
    `SELECT reached.event, count(*)::int AS messages FROM messages m CROSS JOIN LATERAL unnest(array_remove(ARRAY[
       'accepted', CASE WHEN sent_at IS NOT NULL THEN 'sent' END,
       CASE WHEN delivered_at IS NOT NULL THEN 'delivered' END, CASE WHEN read_at IS NOT NULL THEN 'read' END,
       CASE WHEN error_code = 'OPTED_OUT' THEN 'opted_out'
            WHEN status IN ('undelivered', 'failed', 'rejected', 'expired', 'canceled') THEN status::text END
     ], NULL)) AS reached(event)
     WHERE account_id = $1 GROUP BY 1
     UNION ALL SELECT 'inbound', count(*)::int FROM inbound_messages WHERE account_id = $1 HAVING count(*) > 0`,
    [accountId],
  );
  const ledger = await pool.query<{ charged: string; refunded: string; milliseconds: number }>(
    `SELECT coalesce(-sum(amount_micros) FILTER (WHERE kind = 'charge'), 0) AS charged,
            coalesce(sum(amount_micros) FILTER (WHERE kind = 'refund'), 0) AS refunded
     FROM ledger_entries WHERE account_id = $1`,
    [accountId],
  );
  const [totals] = ledger.rows;
  return {
    numbers: Object.fromEntries(rows.map(({ event, messages }) => [event, messages])) as EventNumbers,
    charged: BigInt(totals?.charged ?? 0),
    refunded: BigInt(totals?.refunded ?? 0),
  };
}

/** @throws Error if two breakdowns of the counts differ */
export async function readConsistentCounts(deps: Pick<Deps, 'pool'>, accountId: string) {
  const counts = await readAllCounts(deps, accountId);
  const numbers = sumByEvent(counts.byTime);
  for (const breakdown of [counts.byChannel, counts.byCarrier, counts.byCountry]) {
    const breakdownNumbers = sumByEvent(breakdown);
    if (
      Object.entries({ ...numbers, ...breakdownNumbers }).some(
        ([event]) => numbers[event as CountedEvent] !== breakdownNumbers[event as CountedEvent],
      )
    ) {
      throw new Error(`${JSON.stringify(breakdownNumbers)} are counted one way, ${JSON.stringify(numbers)} another`);
    }
  }
  const sum = (rows: Counted[]) => rows.reduce((total, { micros }) => total + micros, 0n);
  return {
    numbers,
    charged: sum(counts.byTime.filter(({ event }) => event === 'accepted')),
    refunded: sum(counts.byTime.filter(({ event }) => event !== 'accepted')),
  };
}
