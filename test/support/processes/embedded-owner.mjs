// A process that owns an embedded PostgreSQL, for tests that kill the owner.
// Usage: node embedded-owner.mjs DATA_DIR [server|command]. Prints {"url"} or {"error"} on one line.
import { pino } from 'pino';
import { startEmbeddedPostgres } from '../../../dist/platform/embedded/embedded-postgres.js';

const log = pino({ level: 'info' }, pino.destination(2));
try {
  const postgres = await startEmbeddedPostgres({
    dataDir: process.argv[2],
    log,
    usedBy: { kind: process.argv[3] ?? 'server' },
  });
  process.once('SIGTERM', () => postgres.close());
  console.log(JSON.stringify({ url: postgres.url }));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
  process.exitCode = 1;
}
