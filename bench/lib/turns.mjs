import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { sendLoad } from './load/load.mjs';
import { checkPromise } from './report.mjs';
import { startServer } from './server.mjs';

const DRAIN_MS = 60_000;
/**
 * Finds the undelivered messages of a time slice by their IDs, which start at $1. The index of unfinished messages would be too
 * slow, because it still contains every old row version while a snapshot is open.
 */
const COUNT_UNDELIVERED = `SELECT count(*)::int AS open FROM messages WHERE id >= $1 AND status <> 'delivered'`;

/** Returns the lowest possible ID of a message that was created at `time`, in milliseconds since 1970. */
function toLowestId(time) {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/**
 * Starts a process with all roles on its own database, which `prepare` fills first.
 * @param {Awaited<ReturnType<typeof import('./store.mjs').startStore>>} store
 * @param {string} name
 * @param {(client: pg.Client) => Promise<void>} [prepare]
 */
export async function openSide(store, name, prepare) {
  const url = await store.create(`bench_${name}`);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await prepare?.(client);
  const server = await startServer('dist/main.js', {
    DATABASE_URL: url,
  });
  return { name, url, client, server, slices: [] };
}

export async function closeSide({ client, server }) {
  await client.end();
  await server.stop();
}

/** Runs the load for one time slice, and waits up to a minute for the slice's messages to be delivered. */
async function runSlice(store, side, load) {
  const url = `${side.server.baseUrl}/v1.0/sms/send`;
  const first = toLowestId(Date.now());
  const secondsBefore = { node: side.server.readProcessorSeconds(), postgres: store.readProcessorSeconds() };
  const start = performance.now();
  const { accepted, p99, refused } = await sendLoad({ ...load, url, apiKey: store.apiKey });
  const deadline = performance.now() + DRAIN_MS;
  const countUndelivered = async () => (await side.client.query(COUNT_UNDELIVERED, [first])).rows[0].open;
  let left = await countUndelivered();
  while (left > 0 && performance.now() < deadline) {
    await pause(10);
    left = await countUndelivered();
  }
  const perSecond = accepted / ((performance.now() - start) / 1000);
  const toMicros = (after, before) =>
    after === null || before === null ? Number.NaN : ((after - before) * 1e6) / accepted;
  side.slices.push({
    perSecond,
    p99,
    refused,
    left,
    node: toMicros(side.server.readProcessorSeconds(), secondsBefore.node),
    postgres: toMicros(store.readProcessorSeconds(), secondsBefore.postgres),
  });
}

/**
 * Runs the load on one database after another, in alternating order, so that other work on the machine affects all databases
 * equally. Adds the figures of each time slice to `side.slices`. The p99 is in milliseconds, processor time per message is in
 * microseconds, and `left` counts messages that are still undelivered after a minute.
 * @param {{ generator: string, connections: number, seconds: number }} load
 */
export async function takeTurns(store, sides, slices, load) {
  for (let slice = 0; slice < slices; slice += 1) {
    for (const side of slice % 2 === 0 ? sides : [...sides].reverse()) await runSlice(store, side, load);
  }
}

/** Makes the run fail if any message was refused or not delivered. */
export function checkNothingLost({ name, slices }) {
  checkPromise(
    slices.every(({ left, refused }) => left === 0 && refused === 0),
    `${name}: all requests were accepted, and all messages delivered after each slice`,
  );
}
