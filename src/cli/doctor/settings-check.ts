import type pg from 'pg';
import { pino } from 'pino';
import { LONG_TIMEOUT_MS, openPool } from '../../platform/store/connections/pool.js';
import { SESSION_SETTINGS } from '../../platform/store/connections/session-settings.js';
import { readConnectionLimit } from '../../platform/store/facts-store.js';
import { type Locale, readLocale, readSettings } from '../../platform/store/settings-store.js';
import type { Config } from '../../process/settings/config.js';
import { type Finding, ok, warning } from './finding.js';

/** Differences in these settings are ignored: statement timeouts differ between pools, and any lossless precision works. */
const FLEXIBLE_SETTINGS = ['statement_timeout', 'extra_float_digits'];

/** These settings are reported without a judgment, because good values depend on the machine. */
const TUNING_SETTINGS = ['max_connections', 'shared_buffers', 'work_mem', 'random_page_cost'];

/** Connections set their session settings themselves, except behind a pooler, where the role's settings apply. */
export async function checkSession(
  pool: pg.Pool,
  { databaseUrl, databaseDirectUrl }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>,
): Promise<Finding[]> {
  if (databaseUrl === undefined || databaseDirectUrl === undefined) return [await checkSessionSettings(pool)];
  const log = pino({ level: 'silent' });
  const poolThroughPooler = openPool({ url: databaseUrl, size: 1, log, patienceMs: LONG_TIMEOUT_MS, isPooled: true });
  try {
    return [await checkSessionSettings(poolThroughPooler)];
  } finally {
    await poolThroughPooler.end();
  }
}

async function checkSessionSettings(pool: pg.Pool): Promise<Finding> {
  return evaluateSession(await readSettings(pool, Object.keys(SESSION_SETTINGS)));
}

export function evaluateSession(current: Readonly<Record<string, string>>): Finding {
  const check = 'store.session';
  const wrongSettings = Object.entries(SESSION_SETTINGS).filter(
    // The order of day and month in DateStyle has no effect with ISO.
    ([name, value]) => !FLEXIBLE_SETTINGS.includes(name) && current[name]?.split(',')[0] !== value,
  );
  if (wrongSettings.length === 0)
    return ok(check, 'Connections have the session settings that statements rely on; JIT is off.');
  const values = wrongSettings.map(([name]) => `${name} is ${current[name] ?? 'unknown'}`).join(', ');
  const changes = wrongSettings.map(([name, value]) => `ALTER ROLE CURRENT_USER SET ${name} = '${value}'`).join('; ');
  const effect = wrongSettings.some(([name]) => name === 'jit')
    ? 'PostgreSQL may spend seconds compiling a statement.'
    : 'Statements may fail or read wrong values.';
  return warning(check, `Behind the pooler ${values}.`, `${effect} Run as the role of DATABASE_URL: ${changes}.`);
}

export async function checkLocale(pool: pg.Pool): Promise<Finding[]> {
  return [evaluateLocale(await readLocale(pool))];
}

export function evaluateLocale({ ctype, foldsLetters, outdated }: Locale): Finding {
  const check = 'store.locale';
  if (outdated !== null) {
    return warning(
      check,
      `The collation version has changed since indexes were built (${outdated}).`,
      'Searches may miss rows: REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION.',
    );
  }
  if (!foldsLetters) {
    return warning(
      check,
      `The locale of the database (LC_CTYPE ${ctype}) supports only ASCII letters.`,
      'Searches and keywords distinguish É from é. Create a database with another locale, such as C.UTF-8, and move the data (docs/run/backup.md).',
    );
  }
  return ok(check, `The locale of the database (LC_CTYPE ${ctype}) supports letters of all scripts.`);
}

export async function checkTuning(
  pool: pg.Pool,
  { processes, databasePoolSize }: Pick<Config, 'processes' | 'databasePoolSize'>,
): Promise<Finding[]> {
  const settings = await readSettings(pool, TUNING_SETTINGS);
  const limit = await readConnectionLimit(pool);
  return [evaluateTuning(settings, { limit, wanted: processes * databasePoolSize })];
}

/** Compares `wanted`, the connections that Heliograph may open, with the server's `limit`. */
export function evaluateTuning(
  settings: Readonly<Record<string, string>>,
  { limit, wanted }: { limit: number; wanted: number },
): Finding {
  const text = `PostgreSQL has ${TUNING_SETTINGS.map((name) => `${name} ${settings[name]}`).join(', ')}.`;
  if (wanted <= limit) return ok('store.tuning', text);
  return warning(
    'store.tuning',
    `${text} Heliograph may open ${wanted} connections, but the limit is ${limit}.`,
    'Raise max_connections, or lower DATABASE_POOL_SIZE or PROCESSES.',
  );
}
