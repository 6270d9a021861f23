import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { sendLoad } from './load/load.mjs';
import { verdict } from './report.mjs';
import { startServer } from './server.mjs';

const DRAIN_MS = 60_000;
/**
 * Counts the undelivered messages of a slice by their IDs. With an open snapshot, the index of unfinished messages still leads to
 * every old version, and counting with it would dominate the measurement.
 */
const LEFT = `SELECT count(*)::int AS open FROM messages WHERE id >= $1 AND status <> 'delivered'`;

/** The lowest ID of messages created from a moment on, in milliseconds. */
function idFrom(moment) {
  const digits = moment.toString(16).padStart(12, '0');
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
async function take(store, side, load) {
  const url = `${side.server.baseUrl}/v1.0/sms/send`;
  const first = idFrom(Date.now());
  const before = { node: side.server.processorSeconds(), postgres: store.processorSeconds() };
  const began = performance.now();
  const { accepted, p99, refused } = await sendLoad({ ...load, url, apiKey: store.apiKey });
  const deadline = performance.now() + DRAIN_MS;
  const open = async () => (await side.client.query(LEFT, [first])).rows[0].open;
  let left = await open();
  while (left > 0 && performance.now() < deadline) {
    await pause(10);
    left = await open();
  }
  const perSecond = accepted / ((performance.now() - began) / 1000);
  const micros = (now, then) => (now === null || then === null ? Number.NaN : ((now - then) * 1e6) / accepted);
  side.slices.push({
    perSecond,
    p99,
    refused,
    left,
    node: micros(side.server.processorSeconds(), before.node),
    postgres: micros(store.processorSeconds(), before.postgres),
  });
}

/**
 * Runs the load on the sides in turn, in changing order, so that other work on the machine affects all alike. Adds to `side.slices`:
 * accepted and delivered messages per second, p99 of accepting in ms, refused requests, messages undelivered after a minute, and
 * processor time per message in µs.
 * @param {{ generator: string, connections: number, seconds: number }} load of each slice
 */
export async function takeTurns(store, sides, slices, load) {
  for (let slice = 0; slice < slices; slice += 1) {
    for (const side of slice % 2 === 0 ? sides : [...sides].reverse()) await take(store, side, load);
  }
}

/** Fails the run if a message of a slice was refused or not delivered. */
export function nothingLost({ name, slices }) {
  verdict(
    slices.every(({ left, refused }) => left === 0 && refused === 0),
    `${name}: all was accepted, and delivered after each slice`,
  );
}
