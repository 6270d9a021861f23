import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const COUNT = `SELECT count(*)::int AS accepted, count(*) FILTER (WHERE status = 'delivered')::int AS delivered
  FROM messages`;

/** Watches how many accepted messages of a database are not delivered yet. */
export async function watchBacklog(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const count = async () => (await client.query(COUNT)).rows[0];
  const samples = [];
  const stopping = new AbortController();
  const sampling = (async () => {
    while (!stopping.signal.aborted) {
      const { accepted, delivered } = await count();
      samples.push(accepted - delivered);
      await pause(1000, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    /**
     * Call it when the load ends: it waits until everything is delivered, at most 60 s.
     * @returns {Promise<{ accepted: number, delivered: number, atEnd: number, peak: number, drainSeconds: number }>}
     *   `atEnd` messages were undelivered when the load ended, and the last of them was delivered after `drainSeconds`
     */
    async drain() {
      const start = performance.now();
      stopping.abort();
      await sampling;
      let { accepted, delivered } = await count();
      const atEnd = accepted - delivered;
      while (delivered < accepted && performance.now() - start < 60_000) {
        await pause(20);
        ({ accepted, delivered } = await count());
      }
      const drainSeconds = (performance.now() - start) / 1000;
      return { accepted, delivered, atEnd, peak: Math.max(atEnd, ...samples), drainSeconds };
    },
    close: () => client.end(),
  };
}
