import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LONG_TIMEOUT_MS, openPool, openPrisma } from '../../../../src/platform/store/connections/pool.js';
import { applyMigrations } from '../../../../src/platform/store/migrations/migrate.js';
import { createTestAccount } from '../../../support/accounts.js';
import {
  describeMachines,
  isAllAcknowledged,
  joinMachines,
  startClientMachine,
  startServerMachine,
  unplug,
} from '../../../support/processes/joined-machines.js';
import { listBlockedStatements } from '../../../support/store/blocked-statements.js';
import { waitFor } from '../../../support/wait-for.js';

const HOLDER = fileURLToPath(new URL('../../../support/processes/account-holder.mjs', import.meta.url));
const log = pino({ level: 'silent' });
/** Milliseconds within which our settings guarantee that locks are released and queries fail. */
const WITHIN_MS = 60_000;

interface Report {
  event: string;
  error?: string;
  ms?: number;
}

describeMachines('a machine that vanishes while its process has locked accounts', () => {
  it('loses the locks within a minute, and its queries fail within a minute', async () => {
    const server = await startServerMachine();
    await applyMigrations({ url: server.localUrl, log });
    const pool = openPool({ url: server.localUrl, size: 4, log, patienceMs: LONG_TIMEOUT_MS });
    const { id: silent } = await createTestAccount({ prisma: openPrisma(pool) });
    const { id: answered } = await createTestAccount({ prisma: openPrisma(pool) });
    const gate = await pool.connect();
    await gate.query('SELECT pg_advisory_lock(1)');

    const client = startClientMachine([HOLDER, server.url, silent, answered]);
    const reports = new Map<string, Report>();
    createInterface({ input: client.stdout }).on('line', (line) => {
      const report = JSON.parse(line) as Report;
      reports.set(report.event, report);
    });
    const waitForReport = (event: string) => waitFor(`the report "${event}"`, () => reports.get(event));
    await waitForReport('started');
    joinMachines(server.process, client);
    client.stdin.write('joined\n');
    await waitForReport('holding');
    await waitFor('a statement to wait', async () => (await listBlockedStatements(pool, gate)).length === 1);
    await waitFor('the acknowledgement of every statement', () => isAllAcknowledged(client));

    unplug(client);
    const start = performance.now();
    client.stdin.write('unplugged\n');
    // PostgreSQL now sends a response that the client never acknowledges.
    await gate.query('SELECT pg_advisory_unlock(1)');
    gate.release();
    const waitUntilFree = async (id: string) => {
      await pool.query('SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id]);
      return performance.now() - start;
    };
    const [silentMs, answeredMs] = await Promise.all([waitUntilFree(silent), waitUntilFree(answered)]);
    const events = ['transaction', 'pool', 'new connection', 'query without a limit'];
    const failures = await Promise.all(events.map(waitForReport));
    for (const { event, error } of failures) expect(error, event).toBeDefined();
    for (const ms of [silentMs, answeredMs, ...failures.map((failure) => failure.ms as number)]) {
      expect(ms).toBeLessThan(WITHIN_MS);
    }
    await pool.end();
  });
});
