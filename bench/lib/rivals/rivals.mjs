// Heliograph and Kannel as the same thing: what is sent an SMS over HTTP, and hands it on.
import { join } from 'node:path';
import pg from 'pg';
import { watchBacklog } from '../backlog.mjs';
import { startServer } from '../server.mjs';
import { routeToSmsc } from '../smsc.mjs';
import { startKannel } from './kannel.mjs';

/**
 * @typedef {object} Rival
 * @property {{ url: string, apiKey?: string }} load what requests are sent to, as `sendLoad` takes it
 * @property {() => Promise<Settled>} settle waits until all that it accepted is handed on, at most a minute
 * @property {() => Record<string, number | null>} processorSeconds of each of its parts
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Settled what became of everything since the last call
 * @property {number} handedOn messages that the SMSC has, or whose delivery the simulator reported
 * @property {number | null} kept messages that it keeps a record of; null where it keeps none
 * @property {number | null} lastAt milliseconds since 1970, of the last that was handed on; null where none was
 * @property {boolean} isWhole whether nothing waits any more
 */

const epochMs = () => performance.timeOrigin + performance.now();

/**
 * One process that does everything, on a database of its own.
 * @param {Awaited<ReturnType<import('../smsc.mjs').startSmsc>> | null} smsc null: the simulator
 * @returns {Promise<Rival>}
 */
export async function openHeliograph({ store, database, smsc, window }) {
  const url = await store.create(database);
  if (smsc) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await routeToSmsc(client, { port: smsc.port, window });
    await client.end();
  }
  const server = await startServer('dist/main.js', {
    DATABASE_URL: url,
    ROLE: 'all',
  });
  let before = 0;
  return {
    load: { url: `${server.baseUrl}/v1.0/sms/send`, apiKey: store.apiKey },
    async settle() {
      const backlog = await watchBacklog(url);
      const { accepted, delivered } = await backlog.drain();
      const simulated = { submits: delivered - before, last: epochMs() };
      await backlog.close();
      const { submits, last } = smsc ? await smsc.seen() : simulated;
      const kept = accepted - before;
      before = accepted;
      return { handedOn: submits, kept, lastAt: last, isWhole: delivered === accepted };
    },
    processorSeconds: () => ({ 'Node.js': server.processorSeconds(), PostgreSQL: store.processorSeconds() }),
    async close() {
      await server.stop();
      await store.drop(database);
    },
  };
}

/** @returns {Promise<Rival>} */
export async function openKannel({ folder, name, smsc, window, receipts }) {
  const kannel = await startKannel({ folder: join(folder, name), smscPort: smsc.port, window, receipts });
  return {
    load: { url: kannel.sendUrl },
    async settle() {
      const isWhole = await kannel.drained();
      const { submits, last } = await smsc.seen();
      return { handedOn: submits, kept: null, lastAt: last, isWhole };
    },
    processorSeconds: kannel.processorSeconds,
    close: kannel.stop,
  };
}
