import type pg from 'pg';
import { pino } from 'pino';
import type { BackupPlan } from '../../features/backup/scheduled-backups.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import { LONG_PATIENCE_MS, openPool, openPrisma } from '../../platform/store/connections/pool.js';
import { readMigrationState } from '../../platform/store/migrations/migrate.js';
import { backupPlan } from '../../process/settings/backup-plan.js';
import { type Config, ConfigError, loadConfig } from '../../process/settings/config.js';
import { explainDeep } from '../explain.js';
import { checkBackups } from './backup-check.js';
import { type FoundStore, findStoreToLookAt } from './find-store.js';
import { error, type Finding, ok } from './finding.js';
import { checkPrepared, checkSlots, checkTransactions } from './held-checks.js';
import { checkDisk, checkOrphans, placesOf } from './machine-checks.js';
import { checkPartitions } from './partition-check.js';
import { checkPooler } from './pooler-check.js';
import { checkProcesses } from './process-check.js';
import { checkQueue } from './queue-check.js';
import { checkReplica } from './replica-check.js';
import { checkBloat, checkClock, checkMigrations, checkMoved, checkServer } from './server-checks.js';
import { checkLocale, checkSession, checkTuning } from './settings-check.js';
import {
  checkCallbacks,
  checkCalls,
  checkCarriers,
  checkChannels,
  checkCodes,
  checkKept,
  checkPeople,
  checkWaiting,
  checkWebhooks,
} from './work-checks.js';

/**
 * Looks at everything that an installation needs, and changes nothing. What cannot be looked at is a finding too.
 * @param env settings by the names of their variables; unset: the environment and `.env`
 */
export async function examine(env?: NodeJS.ProcessEnv): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig(env);
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    const advice =
      'The server does not start with it, and nothing else could be looked at. .env.example tells each rule.';
    return problem.problems.map(({ setting, problem: what }) => {
      const end = what.endsWith('?') ? '' : '.';
      return error('settings.valid', `${setting} ${what}${end}`, advice);
    });
  }
  const settings = ok('settings.valid', 'Every setting is valid.');
  return [
    settings,
    ...(await looked('store.reachable', () => examineStore(config))),
    ...(await checkPooler(config)),
    ...(await checkQueue(config.redisUrl)),
  ];
}

async function examineStore(config: Config): Promise<Finding[]> {
  const store = await findStoreToLookAt(config);
  try {
    const disk = await looked('disk.free', () => checkDisk(store.folders));
    const orphans = await looked('places.orphans', () => checkOrphans());
    return [...placesOf(config, store), ...orphans, ...disk, ...(await inStore(config, store))];
  } finally {
    await store.close();
  }
}

async function inStore(config: Config, { url, problem, advice: remedy, isOwn }: FoundStore): Promise<Finding[]> {
  if (url === null) {
    const advice = remedy ?? 'Start the server here to make it, or run this where the data is. Nothing was made now.';
    return [error('store.reachable', problem ?? 'There is no store.', advice)];
  }
  const pool = openPool({ url, size: 2, log: pino({ level: 'silent' }), patienceMs: LONG_PATIENCE_MS });
  try {
    const reached = await reach(pool);
    if (reached) return [reached];
    const replica = await looked('store.replica', () => checkReplica({ pool, url }, config));
    const findings = await inDatabase(pool, openPrisma(pool), {
      config,
      smsCarrier: config.smsCarrier,
      isOwnStore: isOwn,
      allowNewer: config.allowNewerStore,
      backups: backupPlan(config),
      // An embedded store makes secrets of its own.
      keepsTexts: config.keptReportsSecret !== undefined || config.databaseUrl === undefined,
      sealsCodes: config.verificationSecret !== undefined || config.databaseUrl === undefined,
    });
    return [...findings, ...replica];
  } finally {
    await pool.end();
  }
}

/** Why the database does not answer; null when it does. */
async function reach(pool: pg.Pool): Promise<Finding | null> {
  try {
    await pool.query('SELECT 1');
    return null;
  } catch (problem) {
    const advice =
      'No request is accepted meanwhile. See that PostgreSQL runs, that DATABASE_URL names it, and that it lets this machine in.';
    return error('store.reachable', `The database cannot be reached: ${explainDeep(problem)}.`, advice);
  }
}

async function inDatabase(
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
  const findings = [ok('store.reachable', 'The database answers.')];
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
  for (const [check, look] of checks) findings.push(...(await looked(check, look)));
  // Older tables lack what the other checks ask for.
  if (!isUpToDate) return findings;
  const ofWork: [string, () => Promise<Finding[]>][] = [
    ['accounts.present', () => checkPeople(pool)],
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
  for (const [check, look] of ofWork) findings.push(...(await looked(check, look)));
  return findings;
}

/** A check that fails itself is a finding like any other. */
async function looked(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (problem) {
    return [error(check, `This could not be looked at: ${explainDeep(problem)}.`, 'Mend that first, then look again.')];
  }
}
