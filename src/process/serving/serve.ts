import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { hasOperators } from '../../accounts/operators/list.js';
import { toDemoBaseUrl, updateDemoBaseUrl } from '../../features/demo/keys-file.js';
import { LogOutput } from '../../platform/log/log-output.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import type { PrimaryLink } from '../cluster/primary-link.js';
import { ListenError } from '../listening.js';
import { createLogger, type Logger } from '../logger.js';
import { openMetrics } from '../metrics/open-metrics.js';
import { refuseStart, STORE_UNAVAILABLE_EXIT_CODE } from '../refuse.js';
import type { Config } from '../settings/config.js';
import { closeOnSignal } from '../shutdown.js';
import type { Deps } from '../startup/deps.js';
import { expectFreeAddress } from '../startup/free-address.js';
import { openDeps } from '../startup/open-deps.js';
import { buildApp } from './app.js';

/** Share of the shutdown timeout for last responses on open connections. */
const DRAIN_SHARE = 0.2;

const COMPILE_DELAY_MS = 20_000;

/** `link` is null if this process runs alone. */
export async function serve(config: Config, link: PrimaryLink | null): Promise<void> {
  const output = new LogOutput();
  const log = createLogger(config, output, link?.member.number);
  const openedParts: OpenedParts = {};
  const starting = start(config, { log, output }, openedParts, link);
  const closeAll = async () => {
    // Closing waits until the start has finished, so that every resource that the start opens gets closed.
    await starting.catch(() => undefined);
    const port = link ? { othersListen: link.othersListen } : undefined;
    await openedParts.app?.drain(Math.min(config.shutdownDrainMs, config.shutdownTimeoutMs * DRAIN_SHARE), port);
    await openedParts.app?.close();
    await openedParts.metrics?.close();
    await openedParts.deps?.close();
    await link?.sendFinalMetrics();
  };
  const signals = link ? [] : undefined;
  const { fail, end } = closeOnSignal({ timeoutMs: config.shutdownTimeoutMs, log, close: closeAll, signals });
  link?.onEnd(end);
  try {
    await starting;
    openedParts.deps?.failed.catch(fail);
  } catch (error) {
    await closeAll().catch((problem) => log.error({ err: problem }, 'Not everything could be closed'));
    refuseStart(error, link && isStoreUnreachable(error) ? STORE_UNAVAILABLE_EXIT_CODE : 1);
  }
}

interface OpenedParts {
  deps?: Deps;
  app?: FastifyInstance;
  metrics?: FastifyInstance;
}

async function start(
  config: Config,
  { log, output }: { log: Logger; output: LogOutput },
  openedParts: OpenedParts,
  link: PrimaryLink | null,
): Promise<void> {
  if (config.listens && !link) await expectFreeAddress(config);
  const deps = await openDeps(config, { log, metrics: output.metrics(), shared: link?.shared });
  openedParts.deps = deps;
  const app = await buildApp(config, deps, () => link?.siblings ?? null);
  openedParts.app = app;
  if (!link) openedParts.metrics = (await openMetrics(config, deps))?.app;
  else if (config.metricsPort !== undefined) await link.reportMetrics(deps.metrics, log);
  const baseUrl = config.listens ? await listen(config, app) : null;
  if (!baseUrl) await app.ready();
  const logsStartHints = link?.member.logsStartHints ?? true;
  if (baseUrl && config.role !== 'worker' && logsStartHints) {
    const localUrl = config.localUrl ?? baseUrl;
    await updateDemoBaseUrl(config.dataDir, localUrl, config.consoleUrl).catch((error: unknown) =>
      log.warn(
        { err: error },
        `demo.json in ${config.dataDir} could not be updated and may contain a different address than ${localUrl}`,
      ),
    );
  }
  if (link) link.reportReady(baseUrl);
  else if (baseUrl) log.info(`Heliograph listens on ${baseUrl}`);
  else log.info('Heliograph processes the queue; it listens on no port because PORT is not set');
  if (!baseUrl) return;
  compileLater(app, log);
  if (config.role !== 'worker' && logsStartHints) {
    await warnWithoutAccount(deps, log);
    await hintAtFirstOperator(deps, log);
  }
}

/** Compiles schemas after a pause, so that short runs save two seconds of processor time. */
function compileLater(app: FastifyInstance, log: Logger): void {
  pause(COMPILE_DELAY_MS, undefined, { ref: false })
    .then(() => app.lazyFunctions.createAll())
    .catch((error: unknown) => log.error({ err: error }, 'A schema cannot be compiled'));
}

async function listen(config: Config, app: FastifyInstance): Promise<string> {
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    throw new ListenError(config, error);
  }
  return toDemoBaseUrl(config.host, (app.server.address() as AddressInfo).port);
}

/** Only warns if no account exists, because an account can be created while the server runs. */
async function warnWithoutAccount({ prisma }: Deps, log: Logger): Promise<void> {
  const account = await prisma.account.findFirst({ select: { id: true } }).catch(() => undefined);
  if (account !== null) return;
  log.warn(
    'There is no account yet, so every request is rejected. Create one with "heliograph account create <name>", and its API key with "heliograph key create".',
  );
}

/** Explains how to create the first operator, because only the demo account comes with an operator. */
async function hintAtFirstOperator({ prisma }: Deps, log: Logger): Promise<void> {
  if (await hasOperators({ prisma }).catch(() => true)) return;
  log.info(
    'Nobody can sign in to the console yet. Create an operator with "heliograph operator create <name>": it prints a sign-in link.',
  );
}
