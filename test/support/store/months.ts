import pg from 'pg';
import { divideByMonth } from '../../../src/messages/partitions/divide-store.js';
import { ensureMonths as keepWithin } from '../../../src/messages/partitions/ensure-months-store.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Runs work on a connection of its own. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  // A test may end it from outside.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Makes the months ahead, all that are missing, however long it takes. */
export function ensureMonths(client: pg.Client, now: Date): Promise<string[]> {
  return keepWithin(client, now, Number.POSITIVE_INFINITY);
}

/**
 * Divides the messages of a store by months, as if somebody had done so a while ago: then what is accepted now goes into the
 * table of a month, of which several lie behind and ahead. A store that has messages of now is divided ahead of them.
 */
export async function divideByMonths(url: string, { daysAgo = 100 }: { daysAgo?: number } = {}): Promise<void> {
  await withClient(url, (client) =>
    divideByMonth({ client, now: new Date(Date.now() - daysAgo * DAY_MS), report: () => undefined }),
  );
  await withClient(url, (client) => ensureMonths(client, new Date()));
}
