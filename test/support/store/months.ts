import pg from 'pg';
import { divideByMonth } from '../../../src/messages/partitions/divide-store.js';
import { ensureMonths as keepWithin } from '../../../src/messages/partitions/ensure-months-store.js';

const DAY_MS = 24 * 60 * 60 * 1000;

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // Errors are ignored, because a test may end the connection from outside.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates the tables of all missing months, without a time limit. */
export function ensureMonths(client: pg.Client, now: Date): Promise<string[]> {
  return keepWithin(client, now, Number.POSITIVE_INFINITY);
}

/**
 * Divides a store's messages by months as of an earlier day, so that new messages go into the table of a month. If the store
 * has recent messages, the division starts after them.
 */
export async function divideByMonths(url: string, { daysAgo = 100 }: { daysAgo?: number } = {}): Promise<void> {
  await withClient(url, (client) =>
    divideByMonth({ client, now: new Date(Date.now() - daysAgo * DAY_MS), report: () => undefined }),
  );
  await withClient(url, (client) => ensureMonths(client, new Date()));
}
