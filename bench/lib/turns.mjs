import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { sendLoad } from './load/load.mjs';
import { verdict } from './report.mjs';
import { startServer } from './server.mjs';

const DRAIN_MS = 60_000;
/**
 * Those of a slice that are not delivered, by their ids: the index of what is under way would do for them all, but in a
 * database with an open snapshot it leads to everything that ever was, and counting would be most of what is measured.
 */
const LEFT = `SELECT count(*)::int AS open FROM messages WHERE id >= $1 AND status <> 'delivered'`;

/** The lowest id of a message that is made at a moment in milliseconds, or later. */
function idFrom(moment) {
  const digits = moment.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}

/**
 * A database of its own with a process that does everything, to take turns with another.
 * @param {Awaited<ReturnType<typeof import('./store.mjs').startStore>>} store
 * @param {string} name
 * @param {(client: pg.Client) => Promise<void>} [prepare] what the database needs before the process starts
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

/** Accepts for a slice, and waits until the last of it is delivered. */
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
 * Gives the load to one side after the other, in an order that changes, so that what else the machine does hits all alike.
 * What a slice showed is pushed onto `side.slices`: accepted and delivered per second, p99 of accepting in ms, how many were
 * refused, how many were not delivered after a minute, and the processor time of a message in µs.
 * @param {{ generator: string, connections: number, seconds: number }} load of each slice
 */
export async function takeTurns(store, sides, slices, load) {
  for (let slice = 0; slice < slices; slice += 1) {
    for (const side of slice % 2 === 0 ? sides : [...sides].reverse()) await take(store, side, load);
  }
}

/** Fails the run where a message of a slice was refused, or was not delivered after it. */
export function nothingLost({ name, slices }) {
  verdict(
    slices.every(({ left, refused }) => left === 0 && refused === 0),
    `${name}: all was accepted, and delivered after each slice`,
  );
}
