import { expect, it } from 'vitest';
import { webhookRequest } from '../../../support/carriers/cloud-api/webhooks.js';
import { type ServerProcess, startServerProcess } from '../../../support/processes/server-process.js';
import { type TestApp, testApp, testSettings } from '../../../support/test-app.js';
import { waitFor } from '../../../support/wait-for.js';
import { CARRIER, suiteCloudApi } from '../meta-channel.js';
import { createExamplesChannel, readStoredState } from './stored-state.js';
import { ADA_LATER, FROM_DOCUMENTATION, PUBLISHED } from './webhook-examples.js';

const meta = suiteCloudApi();
const EXAMPLES = [...PUBLISHED, ...FROM_DOCUMENTATION];

type KillPoint = 'asked' | 'answered' | `writing ${string}`;

const KILLS: ReadonlyMap<number, KillPoint> = new Map<number, KillPoint>([
  [2, 'asked'],
  [4, 'writing media'],
  [8, 'answered'],
  [12, 'writing contacts'],
  [14, 'writing kept_reports'],
]);

async function post({ baseUrl }: ServerProcess, body: Record<string, unknown>): Promise<number | null> {
  const { url, headers, payload } = webhookRequest(meta, CARRIER, body);
  const request = fetch(baseUrl + url, { method: 'POST', headers, body: new Uint8Array(payload) });
  return await request.then(
    ({ status }) => status,
    () => null,
  );
}

async function killDuring(
  { deps: { pool } }: TestApp,
  server: ServerProcess,
  kill: KillPoint,
  body: Record<string, unknown>,
): Promise<void> {
  if (!kill.startsWith('writing ')) {
    const responseStatus = post(server, body);
    if (kill === 'answered') expect(await responseStatus).toBe(200);
    await server.stop('SIGKILL');
    await responseStatus;
    return;
  }
  const table = kill.slice('writing '.length);
  const holder = await pool.connect();
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    expect(await post(server, body)).toBe(200);
    await waitFor(`the server to wait for ${table}`, async () => {
      // Databases copied from the same template have equal table OIDs, so the query filters by database.
      const blockedQuery = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = $1::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      return ((await holder.query(blockedQuery, [table])).rowCount ?? 0) > 0;
    });
    await server.stop('SIGKILL');
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

async function playExamples(killPoints: ReadonlyMap<number, KillPoint>) {
  const observingServer = await testApp({ role: 'api' });
  try {
    const channel = await createExamplesChannel(observingServer, meta);
    const { databaseUrl: DATABASE_URL, queuePrefix: QUEUE_PREFIX } = observingServer;
    const settings = { ...testSettings('postgres'), DATABASE_URL, QUEUE_PREFIX, LOG_LEVEL: 'warn' };
    let server = await startServerProcess({ settings });
    try {
      for (const [index, { body }] of EXAMPLES.entries()) {
        const kill = killPoints.get(index);
        let remaining = [body];
        if (kill) {
          await killDuring(observingServer, server, kill, body);
          // Expires the killed server's leases, because waiting for their end would take a minute.
          await observingServer.deps.pool.query(
            "UPDATE carrier_callbacks SET lease_until = now() - interval '1 second'",
          );
          server = await startServerProcess({ settings });
          // Meta may also repeat webhooks that were already answered.
          remaining = EXAMPLES.slice(Math.max(0, index - 2), index + 1).map((example) => example.body);
        }
        for (const body of remaining) expect(await post(server, body)).toBe(200);
      }
      const { carrierCallback } = observingServer.deps.prisma;
      // PostgreSQL completes statements that the killed server has sent, so one more lease may have to expire.
      await waitFor('all webhooks to be processed', async () => (await carrierCallback.count()) === 0);
      return await readStoredState(observingServer, channel);
    } finally {
      await server.stop();
    }
  } finally {
    await observingServer.close();
  }
}

const countExamples = (outcome: 'inbound' | 'kept') =>
  EXAMPLES.filter(({ becomes }) => typeof becomes === 'object' && outcome in becomes).length;

it('repeatedly killing the server does not change the result of Meta’s example webhooks', {
  timeout: 600_000,
}, async () => {
  const undisturbedState = await playExamples(new Map());
  expect(undisturbedState.inbound).toHaveLength(countExamples('inbound'));
  expect(undisturbedState.kept).toHaveLength(countExamples('kept'));
  expect(undisturbedState.contacts.map(({ phone }) => phone).sort()).toEqual([ADA_LATER, null]);
  expect(undisturbedState.optOuts.length).toBeGreaterThan(0);
  expect(await playExamples(KILLS)).toEqual(undisturbedState);
});
