import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Config } from './config.js';

export type { Logger };

/**
 * What must not reach a log: keys, recipients and texts. PostgreSQL's `detail` quotes whole rows, and a Redis error
 * quotes the arguments of its command.
 */
const REDACTED = [
  'authorization',
  'headers.authorization',
  'headers["x-api-key"]',
  'headers["x-api-secret"]',
  'req.headers.authorization',
  'req.headers["x-api-key"]',
  'req.headers["x-api-secret"]',
  'apiKey',
  'apiSecret',
  'password',
  'to',
  'recipient',
  'body',
  'req.body',
  'err.detail',
  'err.where',
  'err.cause.detail',
  'err.cause.where',
  'err.command.args',
];

/**
 * The log of a process, on standard output: one JSON object per line, or readable lines.
 * @param destination instead of standard output, for tests
 */
export function createLogger(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  destination?: { write(line: string): void },
): Logger {
  const readable = config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stdout.isTTY === true);
  const options = { level: config.logLevel, redact: { paths: REDACTED, censor: '[redacted]' }, base: null };
  // In this thread and synchronous: a transport's thread would cost a quarter of a second at start and lose last lines.
  if (readable) return pino(options, destination ?? pretty({ sync: true, translateTime: 'SYS:HH:MM:ss' }));
  return destination ? pino(options, destination) : pino(options);
}
