import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { LogOutput } from '../platform/log/log-output.js';
import { createQuietOptions } from '../platform/log/quiet-logging.js';
import type { Config } from './settings/config.js';

export type { Logger };

/**
 * Secrets, recipients and texts must not appear in logs. `loggedFields` already removes PostgreSQL's `detail`, which
 * quotes whole rows, from errors.
 */
const REDACTED = ['req.headers', 'headers', 'apiKey', 'apiSecret', 'to', 'recipient', 'body', 'req.body'];

/**
 * @param destination anything other than a LogOutput always receives JSON
 * @param number the process's number in a cluster
 */
export function createLogger(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  destination: LogOutput | { write(line: string): void } = new LogOutput(),
  number?: number,
): Logger {
  const readable = isReadable(config);
  const numberFormat = number === undefined ? {} : { ignore: 'process', messageFormat: '[{process}] {msg}' };
  const options = {
    ...createQuietOptions(),
    level: config.logLevel,
    redact: { paths: REDACTED, censor: '[redacted]' },
    base: number === undefined ? null : { process: number },
  };
  if (!(destination instanceof LogOutput)) return pino(options, destination);
  // No transport thread: it would delay the start by 250 ms and lose the last lines.
  const format = readable ? prettyFactory({ translateTime: 'SYS:HH:MM:ss', ...numberFormat }) : null;
  const log = pino(options, format ? { write: (line: string) => destination.write(format(line)) } : destination);
  destination.onRecovery(({ count, reason }) => {
    // A level that is always enabled, so that LOG_LEVEL=silent loses no lines.
    const level = log.isLevelEnabled('error') ? 'error' : 'fatal';
    log[level]({ lostLines: count }, `Log lines were lost, because the log could not be written: ${reason}`);
  });
  return log;
}

function isReadable({ logFormat }: Pick<Config, 'logFormat'>): boolean {
  return logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY === true);
}

/** With LOG_FORMAT json this is one log line, because standard output must be all JSON. */
export function announce(config: Pick<Config, 'logFormat'>, text: string): void {
  if (isReadable(config)) process.stdout.write(`${text}\n`);
  else {
    // By default pino writes to the file descriptor synchronously, and hangs when a pipe is full.
    const output = { write: (line: string) => void process.stdout.write(line) };
    pino({ ...createQuietOptions(), level: 'info', base: null }, output).info(text.trim());
  }
}
