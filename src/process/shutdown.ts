import { StartError } from '../platform/errors/start-error.js';
import type { Logger } from './logger.js';

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** npm passes Ctrl-C on to a child that the terminal has signalled already: a repetition this soon is no second wish. */
const SAME_SIGNAL_MS = 500;

/**
 * Closes the process once, at the first signal or at an error that was not caught, and ends it: with exit code 0 after a
 * signal, with 1 after an error or when closing fails or takes longer than `timeoutMs`. A second signal ends it at once.
 * @param options.signals those that end it; SIGINT, SIGTERM and SIGHUP unless told
 * @returns `fail` ends the process in the same way for another reason, e.g. a lost store; `end` as a signal does
 */
export function closeOnSignal(options: {
  timeoutMs: number;
  log: Logger;
  close(): Promise<void>;
  signals?: readonly Signal[];
}): { fail(error: unknown): void; end(why: string): void } {
  const { timeoutMs, log, close, signals = SIGNALS } = options;
  let began: number | null = null;

  const finish = async (exitCode: 0 | 1) => {
    began = performance.now();
    setTimeout(() => {
      log.error(`Closing took longer than ${timeoutMs} ms (SHUTDOWN_TIMEOUT_MS): ending now`);
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
    if (error instanceof StartError) log.fatal(`Heliograph cannot go on. ${error.message}`);
    else log.fatal({ err: error }, 'Heliograph cannot go on');
    if (began === null) void finish(1);
  };
  const end = (why: string) => {
    if (began !== null) return;
    log.info(`${why}: Heliograph finishes what is under way and ends`);
    void finish(0);
  };

  for (const signal of signals) {
    process.on(signal, () => {
      if (began === null) end(signal);
      else if (performance.now() - began > SAME_SIGNAL_MS) {
        log.warn(`${signal} again: ending at once`);
        process.exit(1);
      }
    });
  }
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return { fail, end };
}
