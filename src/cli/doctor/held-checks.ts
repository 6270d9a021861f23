import type pg from 'pg';
import { readOldestTransaction } from '../../platform/store/facts-store.js';
import { readPreparedTransactions, readReplicationSlots } from '../../platform/store/retained-store.js';
import { formatBytes, formatDuration } from './amounts.js';
import { classifySeverity, type Finding, ok } from './finding.js';

const TRANSACTION_SECONDS = { warning: 600, error: 6 * 3_600 };
const KEPT_BYTES = { warning: 1e9, error: 10e9 };

export async function checkTransactions(pool: pg.Pool): Promise<Finding[]> {
  const oldest = await readOldestTransaction(pool);
  const severity = classifySeverity(oldest?.seconds ?? 0, TRANSACTION_SECONDS);
  if (!oldest || severity === 'ok') return [ok('store.transactions', 'There are no long transactions.')];
  const { pid, seconds, application, state } = oldest;
  const owner = `process ${pid}${application ? `, ${application}` : ''}${state ? `, ${state}` : ''}`;
  return [
    {
      check: 'store.transactions',
      severity,
      text: `A transaction has been open for ${formatDuration(seconds)} (${owner}).`,
      advice: `It prevents the removal of dead rows. If the transaction is not needed: SELECT pg_terminate_backend(${pid}).`,
    },
  ];
}

/** Finds old prepared transactions, which prevent the removal of dead rows but are not visible as connections. */
export async function checkPrepared(pool: pg.Pool): Promise<Finding[]> {
  const [oldest] = await readPreparedTransactions(pool);
  const severity = classifySeverity(oldest?.seconds ?? 0, TRANSACTION_SECONDS);
  if (!oldest || severity === 'ok') return [];
  const { name, seconds } = oldest;
  return [
    {
      check: 'store.prepared',
      severity,
      text: `A transaction was prepared ${formatDuration(seconds)} ago and has not ended (${name}).`,
      advice: `It prevents the removal of dead rows and keeps its locks. If it is not needed: ROLLBACK PREPARED '${name.replaceAll("'", "''")}'.`,
    },
  ];
}

export async function checkSlots(pool: pg.Pool): Promise<Finding[]> {
  const slots = await readReplicationSlots(pool);
  return slots.flatMap(({ name, isRead, retainedBytes }) => {
    const severity = classifySeverity(retainedBytes, KEPT_BYTES);
    if (severity === 'ok') return [];
    const text = `The replication slot ${name} retains ${formatBytes(retainedBytes)} of the write-ahead log, because ${isRead ? 'its reader lags behind' : 'nothing reads it'}.`;
    const drop = `SELECT pg_drop_replication_slot('${name}')`;
    const advice = `The log fills the disk. Check the slot's reader. If it no longer exists: ${drop}.`;
    return [{ check: 'store.slots', severity, text, advice }];
  });
}
