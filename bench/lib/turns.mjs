import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { sendLoad } from './load/load.mjs';
import { checkPromise } from './report.mjs';
import { startServer } from './server.mjs';

const DRAIN_MS = 60_000;
/**
 * Counts the undelivered messages of a slice by their IDs. With an open snapshot, the index of unfinished messages still leads to
 * every old version, and counting with it would dominate the measurement.
 */
const COUNT_UNDELIVERED = `SELECT count(*)::int AS open FROM messages WHERE id >= $1 AND status <> 'delivered'`;

/** Returns the lowest ID of messages created from a time on, in milliseconds since 1970. */
function toLowestId(time) {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/**
 * Creates a database and starts a process with all roles, to take turns with another side.
 * @param {Awaited<ReturnType<typeof import('./store.mjs').startStore>>} store
 * @param {string} name
 * @param {(client: pg.Client) => Promise<void>} [prepare] prepares the database before the process starts
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

/** Runs one slice of the load, and waits until its messages are delivered. */
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
 * Runs the load on the sides in turn, in alternating order, so that other work on the machine affects all sides equally. Adds to
 * `side.slices`:
 * accepted and delivered messages per second, p99 of responses in ms, refused requests, messages undelivered after a minute, and
 * processor time per message in µs.
 * @param {{ generator: string, connections: number, seconds: number }} load of each slice
 */
export async function takeTurns(store, sides, slices, load) {
  for (let slice = 0; slice < slices; slice += 1) {
    for (const side of slice % 2 === 0 ? sides : [...sides].reverse()) await runSlice(store, side, load);
  }
}

/** Fails the run if a message of a slice was refused or not delivered. */
export function checkNothingLost({ name, slices }) {
  checkPromise(
    slices.every(({ left, refused }) => left === 0 && refused === 0),
    `${name}: all requests were accepted, and all messages delivered after each slice`,
  );
}
