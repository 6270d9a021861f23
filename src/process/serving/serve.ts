import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { hasOperators } from '../../accounts/operators/list.js';
import { demoBaseUrl, updateDemoBaseUrl } from '../../features/demo/keys-file.js';
import { LogOutput } from '../../platform/log/log-output.js';
import { isStoreAway } from '../../platform/store/failures.js';
import type { Joined } from '../cluster/joined.js';
import { ListenError } from '../listening.js';
import { createLogger, type Logger } from '../logger.js';
import { openMetrics } from '../metrics/open-metrics.js';
import { refuse, STORE_AWAY } from '../refuse.js';
import type { Config } from '../settings/config.js';
import { closeOnSignal } from '../shutdown.js';
import type { Deps } from '../startup/deps.js';
import { expectFreeAddress } from '../startup/free-address.js';
import { openDeps } from '../startup/open-deps.js';
import { buildApp } from './app.js';

/** Share of SHUTDOWN_TIMEOUT_MS in which open connections may be answered a last time; CLOSE_SHARE of open-deps.ts needs the rest. */
const DRAIN_SHARE = 0.2;

/** Milliseconds after which what was made for no request yet is made ahead. */
const MAKE_AFTER_MS = 20_000;

/**
 * Serves, or works off the queue, until it is told to stop. A start that fails says why on standard error, with exit code 1.
 * @param joined the other processes of this start; null where this is the only one
 */
export async function serve(config: Config, joined: Joined | null): Promise<void> {
  const output = new LogOutput();
  const log = createLogger(config, output, joined?.member.number);
  const opened: Opened = {};
  const starting = start(config, { log, output }, opened, joined);
  const closeAll = async () => {
    // A signal during the start: what is being opened must be closed as well.
    await starting.catch(() => undefined);
    const port = joined ? { othersListen: joined.othersListen } : undefined;
    await opened.app?.drain(Math.min(config.shutdownDrainMs, config.shutdownTimeoutMs * DRAIN_SHARE), port);
    await opened.app?.close();
    await opened.metrics?.close();
    await opened.deps?.close();
    await joined?.last();
  };
  const signals = joined ? [] : undefined;
  const { fail, end } = closeOnSignal({ timeoutMs: config.shutdownTimeoutMs, log, close: closeAll, signals });
  joined?.onEnd(end);
  try {
    await starting;
    opened.deps?.failed.catch(fail);
  } catch (error) {
    await closeAll().catch((problem) => log.error({ err: problem }, 'Not everything could be closed'));
    refuse(error, joined && isStoreAway(error) ? STORE_AWAY : 1);
  }
}

interface Opened {
  deps?: Deps;
  app?: FastifyInstance;
  metrics?: FastifyInstance;
}

async function start(
  config: Config,
  { log, output }: { log: Logger; output: LogOutput },
  opened: Opened,
  joined: Joined | null,
): Promise<void> {
  if (config.listens && !joined) await expectFreeAddress(config);
  const deps = await openDeps(config, { log, metrics: output.metrics(), shared: joined?.shared });
  opened.deps = deps;
  const app = await buildApp(config, deps, () => joined?.siblings ?? null);
  opened.app = app;
  if (!joined) opened.metrics = (await openMetrics(config, deps))?.app;
  else if (config.metricsPort !== undefined) await joined.measure(deps.metrics, log);
  const baseUrl = config.listens ? await listen(config, app) : null;
  if (!baseUrl) await app.ready();
  const isFirst = joined?.member.isFirst ?? true;
  if (baseUrl && config.role !== 'worker' && isFirst) {
    const localUrl = config.localUrl ?? baseUrl;
    await updateDemoBaseUrl(config.dataDir, localUrl, config.consoleUrl).catch((error: unknown) =>
      log.warn({ err: error }, `demo.json in ${config.dataDir} may name another address than ${localUrl}`),
    );
  }
  if (joined) joined.ready(baseUrl);
  else if (baseUrl) log.info(`Heliograph listens on ${baseUrl}`);
  else log.info('Heliograph works off the queue, and listens on no port, for PORT is not set');
  if (!baseUrl) return;
  makeLater(app, log);
  if (config.role !== 'worker' && isFirst) {
    await warnWithoutAccount(deps, log);
    await hintAtFirstOperator(deps, log);
  }
}

/** Two seconds' work of the processor, which what is started for a moment should not pay. */
function makeLater(app: FastifyInstance, log: Logger): void {
  pause(MAKE_AFTER_MS, undefined, { ref: false })
    .then(() => app.madeLate.makeAll())
    .catch((error: unknown) => log.error({ err: error }, 'A schema cannot be compiled'));
}

/** @returns the address that people reach it by */
async function listen(config: Config, app: FastifyInstance): Promise<string> {
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw new ListenError(config, error);
  }
  return demoBaseUrl(config.host, (app.server.address() as AddressInfo).port);
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
