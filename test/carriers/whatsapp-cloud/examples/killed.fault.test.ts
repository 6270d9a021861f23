import { expect, it } from 'vitest';
import { webhookRequest } from '../../../support/carriers/cloud-api/webhooks.js';
import { type ServerProcess, startServerProcess } from '../../../support/processes/server-process.js';
import { type TestApp, testApp, testSettings } from '../../../support/test-app.js';
import { waitFor } from '../../../support/wait-for.js';
import { CARRIER, suiteCloudApi } from '../meta-channel.js';
import { ADA_LATER, OF_PAGES, PUBLISHED } from './webhook-examples.js';
import { createExamplesChannel, stateOf } from './world.js';

const meta = suiteCloudApi();
const EXAMPLES = [...PUBLISHED, ...OF_PAGES];

/** When a server is killed: once it was asked, once it has answered, or while it waits for a table that it writes. */
type Kill = 'asked' | 'answered' | `writing ${string}`;

/** By the place of the example that is on its way. */
const KILLS: ReadonlyMap<number, Kill> = new Map<number, Kill>([
  [2, 'asked'],
  [4, 'writing media'],
  [8, 'answered'],
  [12, 'writing contacts'],
  [14, 'writing kept_reports'],
]);

/** Posts a webhook. @returns the status of the answer; null where there was none */
async function post({ baseUrl }: ServerProcess, body: Record<string, unknown>): Promise<number | null> {
  const { url, headers, payload } = webhookRequest(meta, CARRIER, body);
  const request = fetch(baseUrl + url, { method: 'POST', headers, body: new Uint8Array(payload) });
  return await request.then(
    ({ status }) => status,
    () => null,
  );
}

async function killWithin(
  { deps: { pool } }: TestApp,
  server: ServerProcess,
  kill: Kill,
  body: Record<string, unknown>,
): Promise<void> {
  if (!kill.startsWith('writing ')) {
    const answer = post(server, body);
    if (kill === 'answered') expect(await answer).toBe(200);
    await server.stop('SIGKILL');
    await answer;
    return;
  }
  const table = kill.slice('writing '.length);
  const holder = await pool.connect();
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    expect(await post(server, body)).toBe(200);
    await waitFor(`it to wait for ${table}`, async () => {
      // Its tables have the same numbers in every database that was copied from one.
      const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return ((await holder.query(waiting, [table])).rowCount ?? 0) > 0;
    });
    await server.stop('SIGKILL');
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

/** Sends all examples to a server of its own as Meta does: one that is not answered with 200 comes again. */
async function play(kills: ReadonlyMap<number, Kill>) {
  const beside = await testApp({ role: 'api' });
  try {
    const channel = await createExamplesChannel(beside, meta);
    const { databaseUrl: DATABASE_URL, queuePrefix: QUEUE_PREFIX } = beside;
    const settings = { ...testSettings('postgres'), DATABASE_URL, QUEUE_PREFIX, LOG_LEVEL: 'warn' };
    let server = await startServerProcess({ settings });
    try {
      for (const [place, { body }] of EXAMPLES.entries()) {
        const kill = kills.get(place);
        let again = [body];
        if (kill) {
          await killWithin(beside, server, kill, body);
          // Stands for the minute after which others take what the dead server had.
          await beside.deps.pool.query("UPDATE carrier_callbacks SET lease_until = now() - interval '1 second'");
          server = await startServerProcess({ settings });
          // What was answered may come again as well.
          again = EXAMPLES.slice(Math.max(0, place - 2), place + 1).map((each) => each.body);
        }
        for (const each of again) expect(await post(server, each)).toBe(200);
      }
      const { carrierCallback } = beside.deps.prisma;
      // What a server had asked of PostgreSQL is done after its death: it may claim something for one more minute.
      await waitFor('all to be worked off', async () => (await carrierCallback.count()) === 0);
      return await stateOf(beside, channel);
    } finally {
      await server.stop();
    }
  } finally {
    await beside.close();
  }
}

const howMany = (what: 'inbound' | 'kept') =>
  EXAMPLES.filter(({ becomes }) => typeof becomes === 'object' && what in becomes).length;

it('a server that is killed again and again within the examples ends as one that is not', {
  timeout: 600_000,
}, async () => {
  const whole = await play(new Map());
  expect(whole.inbound).toHaveLength(howMany('inbound'));
  expect(whole.kept).toHaveLength(howMany('kept'));
  expect(whole.contacts.map(({ phone }) => phone).sort()).toEqual([ADA_LATER, null]);
  expect(whole.optOuts.length).toBeGreaterThan(0);
  expect(await play(KILLS)).toEqual(whole);
});
