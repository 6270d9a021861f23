// A common interface for Heliograph and Kannel, which both accept SMS over HTTP and submit them to an SMSC.
import { join } from 'node:path';
import pg from 'pg';
import { watchBacklog } from '../backlog.mjs';
import { startServer } from '../server.mjs';
import { routeToSmsc } from '../smsc.mjs';
import { startKannel } from './kannel.mjs';

/**
 * @typedef {object} Rival
 * @property {{ url: string, apiKey?: string }} load address and key for `sendLoad`
 * @property {() => Promise<Settled>} waitUntilSettled waits up to a minute until all accepted messages have been submitted
 * @property {() => Record<string, number | null>} readProcessorSeconds processor seconds by part of the server
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Settled figures since the previous call
 * @property {number} submitted messages that the SMSC received, or that the simulator reported as delivered
 * @property {number | null} stored new messages in the database, or null for Kannel, which has no database
 * @property {number | null} lastAt when the last message was submitted, in milliseconds since 1970
 * @property {boolean} isComplete whether all accepted messages have been submitted
 */

const getEpochMs = () => performance.timeOrigin + performance.now();

/**
 * Starts one process with all roles, which sends to the simulator if `smsc` is null.
 * @param {Awaited<ReturnType<import('../smsc.mjs').startSmsc>> | null} smsc
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
  let acceptedBefore = 0;
  return {
    load: { url: `${server.baseUrl}/v1.0/sms/send`, apiKey: store.apiKey },
    async waitUntilSettled() {
      const backlog = await watchBacklog(url);
      const { accepted, delivered } = await backlog.drain();
      const simulated = { submits: delivered - acceptedBefore, last: getEpochMs() };
      await backlog.close();
      const { submits, last } = smsc ? await smsc.readFigures() : simulated;
      const stored = accepted - acceptedBefore;
      acceptedBefore = accepted;
      return { submitted: submits, stored, lastAt: last, isComplete: delivered === accepted };
    },
    readProcessorSeconds: () => ({
      'Node.js': server.readProcessorSeconds(),
      PostgreSQL: store.readProcessorSeconds(),
    }),
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
    async waitUntilSettled() {
      const isComplete = await kannel.drain();
      const { submits, last } = await smsc.readFigures();
      return { submitted: submits, stored: null, lastAt: last, isComplete };
    },
    readProcessorSeconds: kannel.readProcessorSeconds,
    close: kannel.stop,
  };
}
