import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const COUNT = `SELECT count(*)::int AS accepted, count(*) FILTER (WHERE status = 'delivered')::int AS delivered
  FROM messages`;
/**
 * The query uses the partial index of unfinished messages, because counting all messages every second would slow down the
 * database.
 */
const COUNT_OPEN = 'SELECT count(*)::int AS open FROM messages WHERE next_look IS NOT NULL';

/** Counts the undelivered messages of a database every second. */
export async function watchBacklog(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const countOpen = async () => (await client.query(COUNT_OPEN)).rows[0].open;
  const samples = [];
  const stopping = new AbortController();
  const sampling = (async () => {
    while (!stopping.signal.aborted) {
      samples.push(await countOpen());
      await pause(1000, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    /**
     * Waits up to 60 s for all messages to be delivered. `atEnd` is the number of undelivered messages at the end of the load,
     * and `drainSeconds` the time until their delivery.
     * @returns {Promise<{ accepted: number, delivered: number, atEnd: number, peak: number, drainSeconds: number }>}
     */
    async drain() {
      const start = performance.now();
      stopping.abort();
      await sampling;
      const atEnd = await countOpen();
      for (let open = atEnd; open > 0 && performance.now() - start < 60_000; open = await countOpen()) await pause(20);
      const drainSeconds = (performance.now() - start) / 1000;
      const { accepted, delivered } = (await client.query(COUNT)).rows[0];
      return { accepted, delivered, atEnd, peak: Math.max(atEnd, ...samples), drainSeconds };
    },
    close: () => client.end(),
  };
}
