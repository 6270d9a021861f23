import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { quietLogging } from '../platform/log/quiet-logging.js';
import type { Config } from './settings/config.js';

export type { Logger };

/**
 * What must not reach a log beside secrets: recipients and texts. Errors are cut down before (loggedFields), so that
 * PostgreSQL's `detail`, which quotes whole rows, and the arguments of Redis' commands are not in them.
 */
const REDACTED = ['req.headers', 'headers', 'apiKey', 'apiSecret', 'to', 'recipient', 'body', 'req.body'];

/**
 * The log of a process, on standard output: one JSON object per line, or readable lines.
 * @param destination instead of standard output, for tests
 * @param number of the process, where one start runs several
 */
export function createLogger(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  destination?: { write(line: string): void },
  number?: number,
): Logger {
  const readable = config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stdout.isTTY === true);
  const numbered = number === undefined ? {} : { ignore: 'process', messageFormat: '[{process}] {msg}' };
  const options = {
    ...quietLogging(),
    level: config.logLevel,
    redact: { paths: REDACTED, censor: '[redacted]' },
    base: number === undefined ? null : { process: number },
  };
  // In this thread and synchronous: a transport's thread would cost a quarter of a second at start and lose last lines.
  if (readable) return pino(options, destination ?? pretty({ sync: true, translateTime: 'SYS:HH:MM:ss', ...numbered }));
  return destination ? pino(options, destination) : pino(options);
}
