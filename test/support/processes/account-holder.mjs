// Locks accounts on Heliograph's connections, and reports how their queries fail once the network is cut.
// Usage: node account-holder.mjs URL SILENT_ACCOUNT ANSWERED_ACCOUNT, with the lines "joined" and "unplugged" on standard input.
// Writes a line of JSON for each event: {"event", "error"?, "ms"?}.
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { lockAccounts } from '../../../dist/accounts/ledger-store.js';
import { SteadyClient } from '../../../dist/platform/store/connections/client.js';
import { openPool } from '../../../dist/platform/store/connections/pool.js';

const [url, silentAccount, answeredAccount] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin });
const report = (event, more = {}) => console.log(JSON.stringify({ event, ...more }));

function watch(event, query) {
  const start = performance.now();
  query.then(
    () => report(event),
    (error) => report(event, { error: error.message, ms: performance.now() - start }),
  );
}

async function hold(pool, accountId) {
  const client = await pool.connect();
  await client.query('BEGIN');
  await lockAccounts(client, [accountId]);
  return client;
}

async function main() {
  const log = pino({ level: 'silent' });
  // The idle timeout is long, because PostgreSQL must detect the lost connection from the network alone.
  const pool = openPool({ url, size: 4, log, patienceMs: 5_000, idleInTransactionMs: 3_600_000 });
  const silent = await hold(pool, silentAccount);
  const answered = await hold(pool, answeredAccount);
  await pool.query('SELECT 1');
  const patient = new SteadyClient({ connectionString: url });
  await patient.connect();
  lines.on('line', (line) => {
    if (line !== 'unplugged') return;
    watch('transaction', silent.query('SELECT 1'));
    watch('pool', pool.query('SELECT 1'));
    watch('new connection', pool.connect());
  });
  // The test lets PostgreSQL answer the query only after the network is cut, so that the answer never arrives.
  answered
    .query({ text: "SELECT pg_advisory_xact_lock(1), repeat('x', 100000)", patienceMs: 3_600_000 })
    .catch(() => undefined);
  watch('query without a limit', patient.query('SELECT pg_sleep(3600)'));
  report('holding');
}

lines.once('line', () => void main());
report('started');
