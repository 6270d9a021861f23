import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { LogOutput } from '../platform/log/log-output.js';
import { quietLogging } from '../platform/log/quiet-logging.js';
import type { Config } from './settings/config.js';

export type { Logger };

/**
 * What must not reach a log beside secrets: recipients and texts. Errors are cut down before (loggedFields), so that
 * PostgreSQL's `detail`, which quotes whole rows, and the arguments of Redis' commands are not in them.
 */
const REDACTED = ['req.headers', 'headers', 'apiKey', 'apiSecret', 'to', 'recipient', 'body', 'req.body'];

/**
 * Creates the log of a process: one JSON object per line, or readable lines.
 * @param destination standard output unless given; one that is not a LogOutput receives JSON in every format
 * @param number of the process, where one start runs several
 */
export function createLogger(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  destination: LogOutput | { write(line: string): void } = new LogOutput(),
  number?: number,
): Logger {
  const readable = isReadable(config);
  const numbered = number === undefined ? {} : { ignore: 'process', messageFormat: '[{process}] {msg}' };
  const options = {
    ...quietLogging(),
    level: config.logLevel,
    redact: { paths: REDACTED, censor: '[redacted]' },
    base: number === undefined ? null : { process: number },
  };
  if (!(destination instanceof LogOutput)) return pino(options, destination);
  // In this thread and synchronous: a transport's thread would cost a quarter of a second at start and lose last lines.
  const format = readable ? prettyFactory({ translateTime: 'SYS:HH:MM:ss', ...numbered }) : null;
  const log = pino(options, format ? { write: (line: string) => destination.write(format(line)) } : destination);
  destination.onRecovery(({ count, reason }) => {
    // A level that is always enabled: LOG_LEVEL=silent loses no lines.
    const level = log.isLevelEnabled('error') ? 'error' : 'fatal';
    log[level]({ lostLines: count }, `Log lines were lost, because the log could not be written: ${reason}`);
  });
  return log;
}

function isReadable({ logFormat }: Pick<Config, 'logFormat'>): boolean {
  return logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY === true);
}

/**
 * Shows an operator a text of several lines, whatever the level of the log, in the form of the log: programs that read JSON
 * from standard output get nothing else.
 */
export function announce(config: Pick<Config, 'logFormat'>, text: string): void {
  if (isReadable(config)) process.stdout.write(`${text}\n`);
  else {
    // Without a destination pino would write to the file descriptor itself, and hang where that is full.
    const output = { write: (line: string) => void process.stdout.write(line) };
    pino({ ...quietLogging(), level: 'info', base: null }, output).info(text.trim());
  }
}
