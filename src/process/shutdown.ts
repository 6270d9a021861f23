import { StartError } from '../platform/errors/start-error.js';
import type { Logger } from './logger.js';

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * A signal repeated within this time is ignored, because npm forwards Ctrl-C although the terminal has already signaled its
 * child.
 */
const DUPLICATE_SIGNAL_MS = 500;

/** Exits with 0 after a signal or `end`. Exits with 1 after `fail`, or when closing fails or takes longer than `timeoutMs`. */
export function closeOnSignal(options: {
  timeoutMs: number;
  log: Logger;
  close(): Promise<void>;
  signals?: readonly Signal[];
}): { fail(error: unknown): void; end(reason: string): void } {
  const { timeoutMs, log, close, signals = SIGNALS } = options;
  let startedAt: number | null = null;

  const closeAndExit = async (exitCode: 0 | 1) => {
    startedAt = performance.now();
    setTimeout(() => {
      log.error(`Closing took longer than ${timeoutMs} ms (SHUTDOWN_TIMEOUT_MS): exiting now`);
      process.exit(1);
    }, timeoutMs);
    try {
      await close();
      log.info('Heliograph has ended');
    } catch (error) {
      log.error({ err: error }, 'Not everything could be closed');
      process.exit(1);
    }
    process.exit(exitCode);
  };
  const fail = (error: unknown) => {
    if (error instanceof StartError) log.fatal(`Heliograph cannot continue. ${error.message}`);
    else log.fatal({ err: error }, 'Heliograph cannot continue');
    if (startedAt === null) void closeAndExit(1);
  };
  const end = (reason: string) => {
    if (startedAt !== null) return;
    log.info(`${reason}: Heliograph finishes its current work and ends`);
    void closeAndExit(0);
  };

  for (const signal of signals) {
    process.on(signal, () => {
      if (startedAt === null) end(signal);
      else if (performance.now() - startedAt > DUPLICATE_SIGNAL_MS) {
        log.warn(`${signal} again: exiting at once`);
        process.exit(1);
      }
    });
  }
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return { fail, end };
}
