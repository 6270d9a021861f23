import type pg from 'pg';
import { readOldestTransaction } from '../../platform/store/facts-store.js';
import { readPreparedTransactions, readReplicationSlots } from '../../platform/store/held-store.js';
import { inBytes, inTime } from './amounts.js';
import { type Finding, ok, severityOf } from './finding.js';

const TRANSACTION_SECONDS = { warning: 600, error: 6 * 3_600 };
const KEPT_BYTES = { warning: 1e9, error: 10e9 };

/** The transaction that is open longest. */
export async function checkTransactions(pool: pg.Pool): Promise<Finding[]> {
  const oldest = await readOldestTransaction(pool);
  const severity = severityOf(oldest?.seconds ?? 0, TRANSACTION_SECONDS);
  if (!oldest || severity === 'ok') return [ok('store.transactions', 'No transaction is old.')];
  const { pid, seconds, application, state } = oldest;
  const who = `process ${pid}${application ? `, ${application}` : ''}${state ? `, ${state}` : ''}`;
  return [
    {
      check: 'store.transactions',
      severity,
      text: `A transaction has been open for ${inTime(seconds)} (${who}).`,
      advice: `No dead row can be removed meanwhile. Where nobody needs it: SELECT pg_terminate_backend(${pid}).`,
    },
  ];
}

/** Prepared transactions, which hold dead rows as open ones do, and which no list of connections shows; nothing where there are none. */
export async function checkPrepared(pool: pg.Pool): Promise<Finding[]> {
  const [oldest] = await readPreparedTransactions(pool);
  const severity = severityOf(oldest?.seconds ?? 0, TRANSACTION_SECONDS);
  if (!oldest || severity === 'ok') return [];
  const { name, seconds } = oldest;
  return [
    {
      check: 'store.prepared',
      severity,
      text: `A transaction was prepared ${inTime(seconds)} ago and has not ended (${name}).`,
      advice: `No dead row can be removed meanwhile, and its locks hold. Where nobody needs it: ROLLBACK PREPARED '${name.replaceAll("'", "''")}'.`,
    },
  ];
}

/** Replication slots that keep much of the write-ahead log; nothing where there are none. */
export async function checkSlots(pool: pg.Pool): Promise<Finding[]> {
  const slots = await readReplicationSlots(pool);
  return slots.flatMap(({ name, isRead, kept }) => {
    const severity = severityOf(kept, KEPT_BYTES);
    if (severity === 'ok') return [];
    const text = `The replication slot ${name} keeps ${inBytes(kept)} of the write-ahead log, and ${isRead ? 'its reader lags behind' : 'nobody reads it'}.`;
    const drop = `SELECT pg_drop_replication_slot('${name}')`;
    const advice = `The log fills the disk. See to its reader, or where there is none any more: ${drop}.`;
    return [{ check: 'store.slots', severity, text, advice }];
  });
}
