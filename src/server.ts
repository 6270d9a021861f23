import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { hasOperators } from './accounts/operators/list.js';
import { demoBaseUrl, updateDemoBaseUrl } from './features/demo/keys-file.js';
import { AlreadyRunningError } from './platform/embedded/embedded-postgres.js';
import { urlOfRunning } from './platform/embedded/running.js';
import { StartError } from './platform/errors/start-error.js';
import { withoutStoreUrls } from './platform/store/place.js';
import { buildApp } from './process/app.js';
import type { Deps } from './process/deps.js';
import { ListenError, tryListening } from './process/listening.js';
import { createLogger, type Logger } from './process/logger.js';
import { openMetrics } from './process/metrics/open-metrics.js';
import { openDeps } from './process/open-deps.js';
import { type Config, loadConfig } from './process/settings/config.js';
import { closeOnSignal } from './process/shutdown.js';

/** Share of SHUTDOWN_TIMEOUT_MS in which open connections may be answered a last time; CLOSE_SHARE of open-deps.ts needs the rest. */
const DRAIN_SHARE = 0.2;

/** Runs the server until it is told to stop. A start that fails says why on standard error, with exit code 1. */
async function main(): Promise<void> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    return refuse(error);
  }
  const log = createLogger(config);
  const opened: Opened = {};
  const starting = start(config, log, opened);
  const closeAll = async () => {
    // A signal during the start: what is being opened must be closed as well.
    await starting.catch(() => undefined);
    await opened.app?.drain(Math.min(config.shutdownDrainMs, config.shutdownTimeoutMs * DRAIN_SHARE));
    await opened.app?.close();
    await opened.metrics?.close();
    await opened.deps?.close();
  };
  const fail = closeOnSignal({ timeoutMs: config.shutdownTimeoutMs, log, close: closeAll });
  try {
    await starting;
    opened.deps?.failed.catch(fail);
  } catch (error) {
    await closeAll().catch((problem) => log.error({ err: problem }, 'Not everything could be closed'));
    refuse(error);
  }
}

interface Opened {
  deps?: Deps;
  app?: FastifyInstance;
  metrics?: FastifyInstance;
}

async function start(config: Config, log: Logger, opened: Opened): Promise<void> {
  if (config.listens) await expectFreeAddress(config);
  const deps = await openDeps(config, { log });
  opened.deps = deps;
  const app = await buildApp(config, deps);
  opened.app = app;
  opened.metrics = (await openMetrics(config, deps))?.app;
  if (!config.listens) {
    await app.ready();
    log.info('Heliograph works off the queue, and listens on no port, for PORT is not set');
    return;
  }
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw new ListenError(config, error);
  }
  const { port } = app.server.address() as AddressInfo;
  const baseUrl = demoBaseUrl(config.host, port);
  if (config.role !== 'worker') {
    await updateDemoBaseUrl(config.dataDir, baseUrl, config.consoleUrl).catch((error: unknown) =>
      log.warn({ err: error }, `demo.json in ${config.dataDir} may name another address than ${baseUrl}`),
    );
  }
  log.info(`Heliograph listens on ${baseUrl}`);
  app.madeLate.makeAll().catch((error: unknown) => log.error({ err: error }, 'A schema cannot be compiled'));
  if (config.role !== 'worker') {
    await warnWithoutAccount(deps, log);
    await hintAtFirstOperator(deps, log);
  }
}

/** Every request is refused then, so it is more than a hint; an account can be made while the server runs. */
async function warnWithoutAccount({ prisma }: Deps, log: Logger): Promise<void> {
  const account = await prisma.account.findFirst({ select: { id: true } }).catch(() => undefined);
  if (account !== null) return;
  log.warn(
    'There is no account yet, so every request is refused. Make one with "heliograph account create <name>", and a key for it with "heliograph key create".',
  );
}

/** The default mode makes an operator with the demo account; elsewhere somebody must, before the console is of use. */
async function hintAtFirstOperator({ prisma }: Deps, log: Logger): Promise<void> {
  // A store that is away by now is told of by whatever needs it.
  if (await hasOperators({ prisma }).catch(() => true)) return;
  log.info(
    'Nobody can sign in at the console yet. Make an operator with "heliograph operator create <name>": it prints a link that signs them in.',
  );
}

/** A second start with the same settings fails on the port as well; that the data folder is in use says more. */
async function expectFreeAddress(config: Config): Promise<void> {
  try {
    await tryListening(config);
  } catch (error) {
    const servesHere = error instanceof ListenError && error.taken && config.databaseUrl === undefined;
    if (servesHere && (await urlOfRunning(config.dataDir))) throw new AlreadyRunningError(config.dataDir);
    throw error;
  }
}

/** Ends the process. The operator's own mistakes are told in words; anything else with where it happened. */
function refuse(error: unknown): void {
  const reason = error instanceof StartError ? error.message : inspect(error);
  process.stderr.write(`Heliograph cannot start. ${withoutStoreUrls(reason)}\n`, () => process.exit(1));
}

await main();
