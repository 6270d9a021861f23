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
import { rejectWhenLost } from '../failure.js';
import { announce, createLogger, type Logger } from '../logger.js';
import { openMetrics } from '../metrics/open-metrics.js';
import { refuseStart } from '../refuse.js';
import { type Config, ConfigError, loadConfig } from '../settings/config.js';
import { closeOnSignal } from '../shutdown.js';
import { expectFreeAddress } from '../startup/free-address.js';
import { type PreparedStore, prepareStore } from '../startup/open-store.js';
import type { CombinedMetrics } from './combined-metrics.js';
import { divideConnections, embeddedConnectionLimit } from './connection-budget.js';
import type { Member, OpenMessage } from './ipc-messages.js';
import { Members } from './members.js';
import { describePlan, planMembers } from './plan-members.js';
import { watchTerminal } from './terminal.js';

/** Share of the shutdown timeout in which members must end, before the primary process closes the store. */
const MEMBERS_TIMEOUT_SHARE = 0.8;

interface OpenedCluster {
  closers: Closers;
  members?: Members;
  isEnding?: boolean;
}

/**
 * Starts the primary process, which owns the embedded store, the metrics port and the HTTP port, but serves no requests itself.
 */
export async function startCluster(config: Config): Promise<void> {
  const output = new LogOutput();
  const log = createLogger(config, output);
  const isTerminalClosed = watchTerminal();
  const openedCluster: OpenedCluster = { closers: new Closers() };
  let failLater: (error: unknown) => void = () => undefined;
  const starting = start(config, { log, output }, openedCluster, (error) => failLater(error));
  const closeAll = async () => {
    openedCluster.isEnding = true;
    // The first `end` makes an unfinished start fail, and the second `end` stops members that were started in the meantime.
    await openedCluster.members?.end('The primary process ends');
    await starting.catch(() => undefined);
    await openedCluster.members?.end('The primary process ends');
    await openedCluster.closers.run();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const { fail, end } = closeOnSignal({ timeoutMs: config.shutdownTimeoutMs, log, close: closeAll, signals });
  failLater = fail;
  process.on('SIGHUP', () => {
    if (isTerminalClosed()) end('SIGHUP, because the terminal was closed');
    else void restart(openedCluster.members, log);
  });
  try {
    await starting;
  } catch (error) {
    if (openedCluster.isEnding) return;
    await closeAll().catch((problem) => log.error({ err: problem }, 'Not everything could be closed'));
    refuseStart(error);
  }
}

async function start(
  config: Config,
  { log, output }: { log: Logger; output: LogOutput },
  openedCluster: OpenedCluster,
  fail: (error: unknown) => void,
): Promise<void> {
  if (!cluster.isPrimary) {
    throw new StartError(
      'PROCESSES cannot be used here: another program has started this process as a cluster worker.',
    );
  }
  const { closers } = openedCluster;
  if (config.listens) await expectFreeAddress(config);
  const store = await prepareStore({
    config,
    log,
    clock: systemClock,
    closers,
    announce: (text) => announce(config, text),
    connections: embeddedConnectionLimit(config.processes, config.databasePoolSize),
  });
  rejectWhenLost(store.lost).catch(fail);
  if (openedCluster.isEnding) return;
  // The connection limit of PostgreSQL behind a pooler is unknown.
  const limit = store.poolTarget.isPooled ? Number.POSITIVE_INFINITY : store.connectionLimit;
  const { poolSize, warning } = divideConnections(config.processes, config.databasePoolSize, limit);
  if (warning) log.warn(warning);

  cluster.setupPrimary({
    exec: join(PACKAGE_FOLDER, 'dist', 'main.js'),
    args: process.argv.slice(2),
    execArgv: [...process.execArgv.filter((argument) => argument !== '--enable-source-maps'), '--enable-source-maps'],
  });
  const port = config.listens && config.port === 0 ? await freePort() : config.port;
  const plan = planMembers(config);
  let metrics: CombinedMetrics | null = null;
  const members = new Members({
    plan,
    log,
    openMessageFor: (member) => openMessageFor(member, { ...config, port, databasePoolSize: poolSize }, store),
    timeoutMs: config.shutdownTimeoutMs * MEMBERS_TIMEOUT_SHARE,
    onLost: fail,
    onExit: (process) => metrics?.keepCounters(process),
  });
  openedCluster.members = members;
  const listener = await openMetrics(config, { log, metrics: [] }, async () => {
    const { CombinedMetrics } = await import('./combined-metrics.js');
    metrics = await CombinedMetrics.open(() => members, plan.length, log, output.metrics());
    return metrics;
  });
  closers.add(async () => listener?.app.close());
  const baseUrl = await members.start();
  log.info(`Heliograph ${baseUrl ? `listens on ${baseUrl}` : 'processes the queue'} with ${describePlan(plan)}`);
}

function openMessageFor(member: Member, config: Config, store: PreparedStore): OpenMessage {
  const { host, port, dataDir, databasePoolSize, shutdownTimeoutMs, metricsPort } = config;
  const { databaseUrl = null, databaseDirectUrl = null } = config;
  return {
    type: 'open',
    member,
    version: VERSION,
    settings: {
      ...{ host, port, dataDir, databasePoolSize, metricsPort, databaseUrl, databaseDirectUrl },
      shutdownTimeoutMs: shutdownTimeoutMs * MEMBERS_TIMEOUT_SHARE,
    },
    store: {
      url: store.url,
      poolTarget: store.poolTarget,
      folder: store.folder,
      webhooksVoidUntil: store.released?.webhooksVoidUntil.toISOString() ?? null,
    },
  };
}

/** Checks the settings before a rolling restart, because no new process would start with invalid settings. */
async function restart(members: Members | undefined, log: Logger): Promise<void> {
  try {
    rereadEnvironmentFile();
    loadConfig();
  } catch (error) {
    log.error(`SIGHUP: nothing is restarted. ${error instanceof ConfigError ? error.message : inspect(error)}`);
    return;
  }
  log.info('SIGHUP');
  await members?.restart();
}
