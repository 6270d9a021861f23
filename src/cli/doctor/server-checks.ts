import type pg from 'pg';
import { readBloat, readStoreClock, readStoreFacts, type StoreFacts } from '../../platform/store/facts-store.js';
import { type MigrationState, OLDEST_MAJOR } from '../../platform/store/migrations/migrate.js';
import { readMoveRecord } from '../../platform/store/moved-store.js';
import { systemClock } from '../../platform/system-clock.js';
import { formatBytes, formatCount, listSome } from './amounts.js';
import { classifySeverity, error, type Finding, ok, warning } from './finding.js';

/** Dead rows are reported at twice the threshold at which autovacuum should have removed them. */
const BLOAT = { share: 0.4, minRows: 10_000, thresholdFactor: 2 };
const CLOCK_MS = { warning: 1_000, error: 30_000 };
const CONNECTIONS_SHARE = 0.9;
const TRANSACTION_AGE = { warning: 1_000_000_000, error: 1_800_000_000 };

export async function checkServer(pool: pg.Pool): Promise<Finding[]> {
  return evaluateServer(await readStoreFacts(pool));
}

export function evaluateServer(facts: StoreFacts): Finding[] {
  const { version, encoding, size, connections, maxConnections, isReadOnly, unsafe, transactionAge } = facts;
  const findings = [
    Number.parseInt(version, 10) < OLDEST_MAJOR
      ? error('store.version', `PostgreSQL is ${version}.`, `Heliograph needs ${OLDEST_MAJOR} or later: upgrade it.`)
      : ok('store.version', `PostgreSQL ${version}.`),
    encoding === 'UTF8'
      ? ok('store.encoding', 'The database encoding is UTF8.')
      : error(
          'store.encoding',
          `The database encoding is ${encoding}.`,
          "Heliograph needs UTF8: create another database (CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8') and copy the data.",
        ),
    ok('store.size', `The size of the database is ${formatBytes(size)}.`),
  ];
  if (isReadOnly) {
    const advice = 'Requests are rejected. Set DATABASE_URL to the primary, or turn default_transaction_read_only off.';
    findings.push(error('store.writable', 'The database is read-only.', advice));
  }
  if (unsafe.length > 0) {
    const advice = `Accepted messages may be lost when the machine crashes. Run: ALTER SYSTEM RESET ${unsafe[0]}, then SELECT pg_reload_conf().`;
    findings.push(warning('store.durability', `PostgreSQL may lose commits: ${unsafe.join(', ')} is off.`, advice));
  }
  const usage = `${connections} of ${maxConnections} PostgreSQL connections are in use.`;
  const fullAdvice = 'Raise max_connections, or lower DATABASE_POOL_SIZE.';
  findings.push(
    connections > CONNECTIONS_SHARE * maxConnections
      ? warning('store.connections', usage, fullAdvice)
      : ok('store.connections', usage),
  );
  const severity = classifySeverity(transactionAge, TRANSACTION_AGE);
  if (severity !== 'ok') {
    const text = `The oldest rows are ${Math.round(transactionAge / 1e6)} million transactions old; PostgreSQL stops at 2,000 million.`;
    const advice =
      'Autovacuum does not keep up: end old transactions, then run VACUUM FREEZE when there is little load.';
    findings.push({ check: 'store.freeze', severity, text, advice });
  }
  return findings;
}

/** Reports a store that was moved, because servers and commands reject it. */
export async function checkMoved(pool: pg.Pool): Promise<Finding[]> {
  const mark = await readMoveRecord(pool);
  if (!mark) return [];
  const advice = 'Set DATABASE_URL to the new store; servers and commands reject this one (docs/run/backup.md).';
  return [error('store.moved', `The store was moved to ${mark.to} on ${mark.at}.`, advice)];
}

export async function checkBloat(pool: pg.Pool): Promise<Finding[]> {
  const tables = await readBloat(pool, BLOAT);
  if (tables.length === 0) return [ok('store.bloat', 'No large table has many dead rows.')];
  const names = tables.map(({ table, live, dead }) => `${table} (${Math.round((100 * dead) / (live + dead))} %)`);
  return [
    warning(
      'store.bloat',
      `Dead rows occupy space in ${listSome(names)}.`,
      `Autovacuum does not keep up: end long transactions, then run VACUUM ${tables[0]?.table}, which blocks nothing.`,
    ),
  ];
}

/** Accepts tables of a later version with a warning if ALLOW_NEWER_STORE is set. */
export function checkMigrations(state: MigrationState | null, allowNewer = false): Finding[] {
  const check = 'store.migrations';
  if (!state) {
    return [warning(check, 'The database has no tables yet.', 'Start the server, or run "heliograph migrate".')];
  }
  const { pending, unknown } = state;
  const findings: Finding[] = [];
  if (unknown.length > 0) {
    const text = `A later version has migrated the database: ${listSome(unknown)}.`;
    findings.push(
      (allowNewer ? warning : error)(
        check,
        `${text} "heliograph backup" of this version rejects such a store.`,
        'Use that version, also for backups. docs/run/upgrading.md explains how to go back.',
      ),
    );
  }
  if (pending.length > 0) {
    const text = `${formatCount(pending.length, 'migration')} of this version ${pending.length === 1 ? 'is' : 'are'} not applied: ${listSome(pending)}.`;
    findings.push(warning(check, text, 'The next start applies them; so does "heliograph migrate".'));
  }
  return findings.length > 0 ? findings : [ok(check, 'The tables match this version.')];
}

export async function checkClock(pool: pg.Pool, now = () => systemClock.now().getTime()): Promise<Finding[]> {
  const before = now();
  const storeTime = await readStoreClock(pool);
  const after = now();
  // The database read its clock at an unknown moment between `before` and `after`.
  const difference = Math.max(0, before - storeTime, storeTime - after);
  const severity = classifySeverity(difference, CLOCK_MS);
  if (severity === 'ok') return [ok('clock.difference', 'The clocks of this machine and the database agree.')];
  return [
    {
      check: 'clock.difference',
      severity,
      text: `The clock of this machine is ${(difference / 1000).toFixed(1)} s ${storeTime > after ? 'behind' : 'ahead of'} the clock of the database.`,
      advice:
        'Reply windows, schedules and validity use the clock of the process; leases and retries use that of PostgreSQL. Synchronize both with NTP.',
    },
  ];
}
