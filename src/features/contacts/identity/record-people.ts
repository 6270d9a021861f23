import type pg from 'pg';
import type { PersonReport } from '../../../carriers/inbound-message.js';
import type { Clock } from '../../../platform/clock.js';
import { inTransaction } from '../../../platform/store/connections/pool.js';
import { getSqlState, isRetryable } from '../../../platform/store/failures.js';
import { retryTransaction } from '../../../platform/store/repeat.js';
import { findUnlinked } from './identity-store.js';
import { recordPerson } from './person.js';

const UNIQUE_VIOLATION = '23505';

/** All reports together cost one query if none contains new IDs. */
export async function recordPeople(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  reports: readonly PersonReport[],
): Promise<void> {
  const linkedReports = pickLatestReports(reports.filter(({ before }) => before === undefined));
  const pairs = linkedReports.map(({ channel, phone, userId }) => ({
    channelId: channel.id,
    phone: phone ?? '',
    userId: userId ?? '',
  }));
  const unlinkedIndexes = pairs.length === 0 ? [] : await findUnlinked(pool, pairs);
  const newReports = [
    ...unlinkedIndexes.map((index) => linkedReports[index] as PersonReport),
    ...reports.filter(({ before }) => before !== undefined),
  ];
  for (const { channel, before, at, ...ids } of newReports) {
    const now = clock.now();
    const seenAt = at < now ? at : now;
    const scope = { accountId: channel.accountId, channelId: channel.id };
    const person = { ...scope, ...ids, username: null, name: '', seenAt, at: now };
    await runReport(pool, (client) => recordPerson(client, person, before));
  }
}

/** Repeats `work` if another transaction has just inserted a contact with the same number or ID. */
export async function runReport(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  await retryTransaction(
    () => inTransaction(pool, work),
    (error) => isRetryable(error) || getSqlState(error) === UNIQUE_VIOLATION,
  );
}

function pickLatestReports(reports: readonly PersonReport[]): PersonReport[] {
  const latest = new Map<string, PersonReport>();
  for (const report of reports) {
    if (report.phone === null || report.userId === null) continue;
    const key = `${report.channel.id} ${report.phone} ${report.userId}`;
    const earlier = latest.get(key);
    if (!earlier || earlier.at < report.at) latest.set(key, report);
  }
  return [...latest.values()];
}
