import cluster from 'node:cluster';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { StartError } from '../../platform/errors/start-error.js';
import { LogOutput } from '../../platform/log/log-output.js';
import { rereadEnvironmentFile } from '../../platform/machine/environment.js';
import { freePort } from '../../platform/machine/free-port.js';
import { PACKAGE_FOLDER, VERSION } from '../../platform/package-folder.js';
import { systemClock } from '../../platform/system-clock.js';
import { Closers } from '../closers.js';
import { failureOf } from '../failure.js';
import { announce, createLogger, type Logger } from '../logger.js';
import { openMetrics } from '../metrics/open-metrics.js';
import { refuse } from '../refuse.js';
import { type Config, ConfigError, loadConfig } from '../settings/config.js';
import { closeOnSignal } from '../shutdown.js';
import { expectFreeAddress } from '../startup/free-address.js';
import { type PreparedStore, prepareStore } from '../startup/open-store.js';
import { budgetOf, connectionsFor } from './budget.js';
import type { GatheredMetrics } from './gathered-metrics.js';
import { watchTerminal } from './hang-up.js';
import { Members } from './members.js';
import type { Member, OpenOrder } from './orders.js';
import { inWords, planMembers } from './plan.js';

/** Share of SHUTDOWN_TIMEOUT_MS that the processes have; the rest is for what this one closes after them. */
const MEMBERS_SHARE = 0.8;

interface Opened {
  closers: Closers;
  members?: Members;
  /** Whether all that was opened is being closed, for a signal came or something was lost. */
  isEnding?: boolean;
}

/**
 * Starts the processes and looks after them: holds the store, the listener for Prometheus, and the port for as long as one of them
 * serves; replaces whoever dies, and ends or restarts them all. It serves nothing itself. A start that fails says why on standard
 * error, with exit code 1.
 */
export async function startSeveral(config: Config): Promise<void> {
  const output = new LogOutput();
  const log = createLogger(config, output);
  const isHungUp = watchTerminal();
  const opened: Opened = { closers: new Closers() };
  let lose: (error: unknown) => void = () => undefined;
  const starting = start(config, { log, output }, opened, (error) => lose(error));
  const closeAll = async () => {
    opened.isEnding = true;
    // The processes hear of it first: what is being started is ended as well.
    await opened.members?.end('The first process ends');
    await starting.catch(() => undefined);
    await opened.members?.end('The first process ends');
    await opened.closers.run();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const { fail, end } = closeOnSignal({ timeoutMs: config.shutdownTimeoutMs, log, close: closeAll, signals });
  lose = fail;
  process.on('SIGHUP', () => {
    if (isHungUp()) end('SIGHUP, for the terminal was closed');
    else void restart(opened.members, log);
  });
  try {
    await starting;
  } catch (error) {
    // What a signal ends did not come to its start.
    if (opened.isEnding) return;
    await closeAll().catch((problem) => log.error({ err: problem }, 'Not everything could be closed'));
    refuse(error);
  }
}

async function start(
  config: Config,
  { log, output }: { log: Logger; output: LogOutput },
  opened: Opened,
  lose: (error: unknown) => void,
): Promise<void> {
  if (!cluster.isPrimary) {
    throw new StartError('PROCESSES cannot be used here: another program has started this process as one of several.');
  }
  const { closers } = opened;
  if (config.listens) await expectFreeAddress(config);
  const store = await prepareStore({
    config,
    log,
    clock: systemClock,
    closers,
    announce: (text) => announce(config, text),
    connections: connectionsFor(config.processes, config.databasePoolSize),
  });
  failureOf(store.lost).catch(lose);
  if (opened.isEnding) return;
  // How many a pooler takes it tells nobody.
  const limit = store.way.isPooled ? Number.POSITIVE_INFINITY : store.connectionLimit;
  const { poolSize, reduced } = budgetOf(config.processes, config.databasePoolSize, limit);
  if (reduced) log.warn(reduced);

  cluster.setupPrimary({
    exec: join(PACKAGE_FOLDER, 'dist', 'main.js'),
    args: process.argv.slice(2),
    execArgv: [...process.execArgv.filter((each) => each !== '--enable-source-maps'), '--enable-source-maps'],
  });
  // All of them listen on the same: a free port is chosen once.
  const port = config.listens && config.port === 0 ? await freePort() : config.port;
  const plan = planMembers(config);
  let gathered: GatheredMetrics | null = null;
  const members = new Members({
    plan,
    log,
    orderFor: (member) => orderFor(member, { ...config, port, databasePoolSize: poolSize }, store),
    timeoutMs: config.shutdownTimeoutMs * MEMBERS_SHARE,
    onLost: lose,
    onExit: (process) => gathered?.keep(process),
  });
  opened.members = members;
  const metrics = await openMetrics(config, { log, metrics: [] }, async () => {
    const { GatheredMetrics } = await import('./gathered-metrics.js');
    gathered = await GatheredMetrics.open(() => members, plan.length, log, output.metrics());
    return gathered;
  });
  closers.add(async () => metrics?.app.close());
  const baseUrl = await members.start();
  log.info(`Heliograph ${baseUrl ? `listens on ${baseUrl}` : 'works off the queue'} with ${inWords(plan)}`);
}

function orderFor(member: Member, config: Config, store: PreparedStore): OpenOrder {
  const { host, port, dataDir, databasePoolSize, shutdownTimeoutMs, metricsPort } = config;
  const { databaseUrl = null, databaseDirectUrl = null } = config;
  return {
    type: 'open',
    member,
    version: VERSION,
    settings: {
      ...{ host, port, dataDir, databasePoolSize, metricsPort, databaseUrl, databaseDirectUrl },
      shutdownTimeoutMs: shutdownTimeoutMs * MEMBERS_SHARE,
    },
    store: {
      url: store.url,
      way: store.way,
      folder: store.folder,
      webhooksVoidUntil: store.released?.webhooksVoidUntil.toISOString() ?? null,
    },
  };
}

/** The processes read their settings anew, so wrong ones must not be met by all of them. */
async function restart(members: Members | undefined, log: Logger): Promise<void> {
  try {
    rereadEnvironmentFile();
    loadConfig();
  } catch (error) {
    // A file that cannot be read is no reason to end what runs either.
    log.error(`SIGHUP: nothing is restarted. ${error instanceof ConfigError ? error.message : inspect(error)}`);
    return;
  }
  log.info('SIGHUP');
  await members?.restart();
}
