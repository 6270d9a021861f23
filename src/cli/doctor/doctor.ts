import type pg from 'pg';
import { pino } from 'pino';
import type { BackupPlan } from '../../features/backup/scheduled-backups.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { LONG_TIMEOUT_MS, openPool, openPrisma } from '../../platform/store/connections/pool.js';
import { readMigrationState } from '../../platform/store/migrations/migrate.js';
import { backupPlan } from '../../process/settings/backup-plan.js';
import { type Config, ConfigError, loadConfig } from '../../process/settings/config.js';
import { explainWithCauses } from '../explain.js';
import { checkBackups } from './backup-check.js';
import { type FoundStore, findStoreToCheck } from './find-store.js';
import { error, type Finding, ok } from './finding.js';
import { checkPrepared, checkSlots, checkTransactions } from './held-checks.js';
import { checkDisk, checkOrphans, reportLocations } from './machine-checks.js';
import { checkPartitions } from './partition-check.js';
import { checkPooler } from './pooler-check.js';
import { checkProcesses } from './process-check.js';
import { checkQueue } from './queue-check.js';
import { checkReplica } from './replica-check.js';
import { checkBloat, checkClock, checkMigrations, checkMoved, checkServer } from './server-checks.js';
import { checkLocale, checkSession, checkTuning } from './settings-check.js';
import {
  checkAccess,
  checkCallbacks,
  checkCalls,
  checkCarriers,
  checkChannels,
  checkCodes,
  checkKept,
  checkWaiting,
  checkWebhooks,
} from './work-checks.js';

/** Runs all checks. A check that fails to run is reported as a finding. */
export async function examine(env?: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(env);
  } catch (invalidConfig) {
    if (!(invalidConfig instanceof ConfigError)) throw invalidConfig;
    const advice =
      'The server does not start with this value, and nothing else could be checked. .env.example describes all settings.';
    return invalidConfig.problems.map(({ setting, problem: text }) => {
      const punctuation = text.endsWith('?') ? '' : '.';
      return error('settings.valid', `${setting} ${text}${punctuation}`, advice);
    });
  }
  const settings = ok('settings.valid', 'All settings are valid.');
  return [
    settings,
    ...(await runCheck('store.reachable', () => checkStore(config))),
    ...(await checkPooler(config)),
    ...(await checkQueue(config.redisUrl)),
  ];
}

async function checkStore(config: Config): Promise<Finding[]> {
  const store = await findStoreToCheck(config);
  try {
    const disk = await runCheck('disk.free', () => checkDisk(store.folders));
    const orphans = await runCheck('places.orphans', () => checkOrphans());
    return [...reportLocations(config, store), ...orphans, ...disk, ...(await checkDatabase(config, store))];
  } finally {
    await store.close();
  }
}

async function checkDatabase(config: Config, { url, problem, advice: remedy, isOwn }: FoundStore): Promise<Finding[]> {
  if (url === null) {
    const advice =
      remedy ?? 'Start the server here to create it, or run this command where the data is. Nothing was created.';
    return [error('store.reachable', problem ?? 'There is no store.', advice)];
  }
  const pool = openPool({ url, size: 2, log: pino({ level: 'silent' }), patienceMs: LONG_TIMEOUT_MS });
  try {
    const unreachable = await checkConnection(pool);
    if (unreachable) return [unreachable];
    const replica = await runCheck('store.replica', () => checkReplica({ pool, url }, config));
    const findings = await runDatabaseChecks(pool, openPrisma(pool), {
      config,
      smsCarrier: config.smsCarrier,
      isOwnStore: isOwn,
      allowNewer: config.allowNewerStore,
      backups: backupPlan(config),
      // With an embedded store, a server creates missing secrets in DATA_DIR.
      keepsTexts: config.keptReportsSecret !== undefined || config.databaseUrl === undefined,
      sealsCodes: config.verificationSecret !== undefined || config.databaseUrl === undefined,
    });
    return [...findings, ...replica];
  } finally {
    await pool.end();
  }
}

async function checkConnection(pool: pg.Pool): Promise<Finding | null> {
  try {
    await pool.query('SELECT 1');
    return null;
  } catch (problem) {
    const advice =
      'Requests are rejected until this is fixed. Make sure that PostgreSQL runs, that DATABASE_URL is correct, and that it accepts connections from this machine.';
    return error('store.reachable', `The database cannot be reached: ${explainWithCauses(problem)}.`, advice);
  }
}

async function runDatabaseChecks(
  pool: pg.Pool,
  prisma: PrismaClient,
  setup: {
    config: Config;
    smsCarrier: string;
    isOwnStore: boolean;
    allowNewer: boolean;
    backups: BackupPlan | null;
    keepsTexts: boolean;
    sealsCodes: boolean;
  },
): Promise<Finding[]> {
  const findings = [ok('store.reachable', 'The database responds.')];
  let isUpToDate = false;
  const checks: [string, () => Promise<Finding[]>][] = [
    ['store.moved', () => checkMoved(pool)],
    ['store.version', () => checkServer(pool)],
    ['store.session', () => checkSession(pool, setup.config)],
    ['store.locale', () => checkLocale(pool)],
    ['store.tuning', () => checkTuning(pool, setup.config)],
    ['processes.connected', () => checkProcesses(pool)],
    ['store.bloat', () => checkBloat(pool)],
    ['store.transactions', () => checkTransactions(pool)],
    ['store.prepared', () => checkPrepared(pool)],
    ['store.slots', () => checkSlots(pool)],
    ['clock.difference', () => checkClock(pool)],
    [
      'store.migrations',
      async () => {
        const state = await readMigrationState(pool);
        isUpToDate = state !== null && state.pending.length === 0;
        return checkMigrations(state, setup.allowNewer);
      },
    ],
  ];
  for (const [name, check] of checks) findings.push(...(await runCheck(name, check)));
  // The remaining checks read tables that older versions do not have.
  if (!isUpToDate) return findings;
  const tableChecks: [string, () => Promise<Finding[]>][] = [
    ['accounts.present', () => checkAccess(pool)],
    ['carriers.default', () => checkCarriers(prisma, setup)],
    ['codes.secret', () => checkCodes(prisma, setup.sealsCodes)],
    ['calls', () => checkCalls(pool)],
    ['channels.paused', () => checkChannels(pool)],
    ['waiting.messages', () => checkWaiting(pool)],
    ['callbacks.waiting', () => checkCallbacks(pool)],
    ['callbacks.kept', () => checkKept(pool, setup.keepsTexts)],
    ['webhooks.lag', () => checkWebhooks(pool)],
    ['store.months', () => checkPartitions(pool)],
    ['backups.last', () => checkBackups(pool, setup.backups)],
  ];
  for (const [name, check] of tableChecks) findings.push(...(await runCheck(name, check)));
  return findings;
}

async function runCheck(name: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (problem) {
    return [
      error(name, `This check failed: ${explainWithCauses(problem)}.`, 'Fix this first, then run the command again.'),
    ];
  }
}
