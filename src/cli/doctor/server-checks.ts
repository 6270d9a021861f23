import type pg from 'pg';
import { readBloat, readStoreClock, readStoreFacts, type StoreFacts } from '../../platform/store/facts-store.js';
import { type MigrationState, OLDEST_MAJOR } from '../../platform/store/migrations/migrate.js';
import { readMoved } from '../../platform/store/moved-store.js';
import { systemClock } from '../../platform/system-clock.js';
import { counted, inBytes, someOf } from './amounts.js';
import { error, type Finding, ok, severityOf, warning } from './finding.js';

/** Twice what autovacuum waits for: it has had its turn, and did not come through. */
const BLOAT = { share: 0.4, leastRows: 10_000, past: 2 };
const CLOCK_MS = { warning: 1_000, error: 30_000 };
const CONNECTIONS_SHARE = 0.9;
const TRANSACTION_AGE = { warning: 1_000_000_000, error: 1_800_000_000 };

export async function checkServer(pool: pg.Pool): Promise<Finding[]> {
  return findingsOf(await readStoreFacts(pool));
}

/** What the facts of a server mean. */
export function findingsOf(facts: StoreFacts): Finding[] {
  const { version, encoding, size, connections, maxConnections, isReadOnly, unsafe, transactionAge } = facts;
  const findings = [
    Number.parseInt(version, 10) < OLDEST_MAJOR
      ? error('store.version', `PostgreSQL is ${version}.`, `Heliograph needs ${OLDEST_MAJOR} or later: upgrade it.`)
      : ok('store.version', `PostgreSQL ${version}.`),
    encoding === 'UTF8'
      ? ok('store.encoding', 'The database is in UTF8.')
      : error(
          'store.encoding',
          `The database is in ${encoding}.`,
          "Heliograph needs UTF8: make another (CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8') and copy the data.",
        ),
    ok('store.size', `The database takes ${inBytes(size)}.`),
  ];
  if (isReadOnly) {
    const advice = 'Nothing can be accepted. Let DATABASE_URL name the primary, or end default_transaction_read_only.';
    findings.push(error('store.writable', 'The database can only be read.', advice));
  }
  if (unsafe.length > 0) {
    const advice = `What was answered with a success may be lost when the machine fails: ALTER SYSTEM RESET ${unsafe[0]}, then SELECT pg_reload_conf().`;
    findings.push(
      warning('store.durability', `PostgreSQL does not keep every commit: ${unsafe.join(', ')} is off.`, advice),
    );
  }
  const used = `${connections} of ${maxConnections} connections of PostgreSQL are in use.`;
  const full = 'Raise max_connections, or lower DATABASE_POOL_SIZE of the processes.';
  findings.push(
    connections > CONNECTIONS_SHARE * maxConnections
      ? warning('store.connections', used, full)
      : ok('store.connections', used),
  );
  const severity = severityOf(transactionAge, TRANSACTION_AGE);
  if (severity !== 'ok') {
    const text = `The oldest rows are ${Math.round(transactionAge / 1e6)} million transactions old; PostgreSQL stops at 2,000.`;
    const advice =
      'Autovacuum does not come through: end old transactions, then VACUUM FREEZE while there is little to do.';
    findings.push({ check: 'store.freeze', severity, text, advice });
  }
  return findings;
}

/** A store that was left is refused by servers and commands; what it holds is looked at all the same. */
export async function checkMoved(pool: pg.Pool): Promise<Finding[]> {
  const moved = await readMoved(pool);
  if (!moved) return [];
  const advice = 'Set DATABASE_URL to that one; servers and commands refuse this one (docs/backup.md).';
  return [error('store.moved', `The store was moved to ${moved.to} on ${moved.at}.`, advice)];
}

export async function checkBloat(pool: pg.Pool): Promise<Finding[]> {
  const tables = await readBloat(pool, BLOAT);
  if (tables.length === 0) return [ok('store.bloat', 'No large table holds many dead rows.')];
  const shown = tables.map(({ table, live, dead }) => `${table} (${Math.round((100 * dead) / (live + dead))} %)`);
  return [
    warning(
      'store.bloat',
      `Rows that are dead still take room in ${someOf(shown)}.`,
      `Autovacuum does not keep up: see that no transaction is old, then VACUUM ${tables[0]?.table}. It blocks nobody.`,
    ),
  ];
}

/** @param allowNewer ALLOW_NEWER_STORE: the operator knows */
export function checkMigrations(state: MigrationState | null, allowNewer = false): Finding[] {
  const check = 'store.migrations';
  if (!state) {
    return [warning(check, 'The database has no tables yet.', 'Start the server, or run "heliograph migrate".')];
  }
  const { pending, unknown } = state;
  const findings: Finding[] = [];
  if (unknown.length > 0) {
    const text = `A later version has migrated the database: ${someOf(unknown)}.`;
    findings.push(
      (allowNewer ? warning : error)(
        check,
        `${text} "heliograph backup" of this version refuses such a store.`,
        'Use that version, also for backups; docs/upgrading.md tells how to go back.',
      ),
    );
  }
  if (pending.length > 0) {
    const text = `${counted(pending.length, 'migration')} of this version ${pending.length === 1 ? 'is' : 'are'} not applied: ${someOf(pending)}.`;
    findings.push(warning(check, text, 'The next start applies them; so does "heliograph migrate".'));
  }
  return findings.length > 0 ? findings : [ok(check, 'The tables are those of this version.')];
}

export async function checkClock(pool: pg.Pool, now = () => systemClock.now().getTime()): Promise<Finding[]> {
  const before = now();
  const there = await readStoreClock(pool);
  const after = now();
  // Where in between the answer was made is unknown.
  const off = Math.max(0, before - there, there - after);
  const severity = severityOf(off, CLOCK_MS);
  if (severity === 'ok') return [ok('clock.difference', "This machine's clock and the database's agree.")];
  return [
    {
      check: 'clock.difference',
      severity,
      text: `This machine's clock is ${(off / 1000).toFixed(1)} s ${there > after ? 'behind' : 'ahead of'} the database's.`,
      advice:
        'Windows, schedules and validity go by the process, leases and retries by PostgreSQL: let NTP set both clocks.',
    },
  ];
}
