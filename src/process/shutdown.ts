import type { Logger } from './logger.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm passes Ctrl-C on to a child that the terminal has signalled already: a repetition this soon is no second wish. */
const SAME_SIGNAL_MS = 500;

/**
 * Closes the process once, at the first signal or at an error that was not caught, and ends it: with exit code 0 after a
 * signal, with 1 after an error or when closing fails or takes longer than `timeoutMs`. A second signal ends it at once.
 * @returns ends the process in the same way for another reason, e.g. a lost store
 */
export function closeOnSignal(options: {
  timeoutMs: number;
  log: Logger;
  close(): Promise<void>;
}): (error: unknown) => void {
  const { timeoutMs, log, close } = options;
  let began: number | null = null;

  const end = async (exitCode: 0 | 1) => {
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
    log.fatal({ err: error }, 'Heliograph cannot go on');
    if (began === null) void end(1);
  };

  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (began === null) {
        log.info(`${signal}: Heliograph finishes what is under way and ends`);
        void end(0);
      } else if (performance.now() - began > SAME_SIGNAL_MS) {
        log.warn(`${signal} again: ending at once`);
        process.exit(1);
      }
    });
  }
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return fail;
}
