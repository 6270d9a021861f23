import type pg from 'pg';
import type { PersonReport } from '../../../carriers/inbound-message.js';
import type { Clock } from '../../../platform/clock.js';
import { inTransaction } from '../../../platform/store/connections/pool.js';
import { sqlState, worthRepeating } from '../../../platform/store/failures.js';
import { repeated } from '../../../platform/store/repeat.js';
import { findUnlinked } from './identity-store.js';
import { notePerson } from './person.js';

const UNIQUE_VIOLATION = '23505';

/**
 * Notes what carriers report of the ids of people, beside what these write: that some belong together, as each status says,
 * and that others are theirs now. What is known already costs one question for all reports.
 */
export async function notePeople(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  reports: readonly PersonReport[],
): Promise<void> {
  const shown = distinct(reports.filter(({ before }) => before === undefined));
  const pairs = shown.map(({ channel, phone, userId }) => ({
    channelId: channel.id,
    phone: phone ?? '',
    userId: userId ?? '',
  }));
  const unlinked = pairs.length === 0 ? [] : await findUnlinked(pool, pairs);
  const news = [
    ...unlinked.map((index) => shown[index] as PersonReport),
    ...reports.filter(({ before }) => before !== undefined),
  ];
  for (const { channel, before, at, ...ids } of news) {
    const now = clock.now();
    const seenAt = at < now ? at : now;
    const scope = { accountId: channel.accountId, channelId: channel.id };
    const person = { ...scope, ...ids, username: null, name: '', seenAt, at: now };
    await inReport(pool, (client) => notePerson(client, person, before));
  }
}

/** Does what a report says in a transaction, once more where somebody has just entered a contact of the same ids. */
export async function inReport(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  await repeated(
    () => inTransaction(pool, work),
    (error) => worthRepeating(error) || sqlState(error) === UNIQUE_VIOLATION,
  );
}

/** Of many statuses of one person the latest. */
function distinct(reports: readonly PersonReport[]): PersonReport[] {
  const latest = new Map<string, PersonReport>();
  for (const report of reports) {
    if (report.phone === null || report.userId === null) continue;
    const key = `${report.channel.id} ${report.phone} ${report.userId}`;
    const known = latest.get(key);
    if (!known || known.at < report.at) latest.set(key, report);
  }
  return [...latest.values()];
}
