import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { LogOutput } from '../platform/log/log-output.js';
import { createQuietOptions } from '../platform/log/quiet-logging.js';
import type { Config } from './settings/config.js';

export type { Logger };

/** Fields with secrets, recipients and texts, which must not appear in logs. */
const REDACTED = ['req.headers', 'headers', 'apiKey', 'apiSecret', 'to', 'recipient', 'body', 'req.body'];

/** Logs in the format of LOG_FORMAT, but always in JSON if `destination` is not a LogOutput. */
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
  // Lines are formatted in this thread, because a transport thread would delay the start by 250 ms and lose the last lines.
  const format = readable ? prettyFactory({ translateTime: 'SYS:HH:MM:ss', ...numberFormat }) : null;
  const log = pino(options, format ? { write: (line: string) => destination.write(format(line)) } : destination);
  destination.onRecovery(({ count, reason }) => {
    // LOG_LEVEL=fatal disables the level `error`, so the message about lost lines is then logged as `fatal`.
    const level = log.isLevelEnabled('error') ? 'error' : 'fatal';
    log[level]({ lostLines: count }, `Log lines were lost, because the log could not be written: ${reason}`);
  });
  return log;
}

function isReadable({ logFormat }: Pick<Config, 'logFormat'>): boolean {
  return logFormat === 'pretty' || (logFormat === 'auto' && process.stdout.isTTY === true);
}

/** With LOG_FORMAT json, the text is printed as one log line, because all of standard output must be JSON. */
export function announce(config: Pick<Config, 'logFormat'>, text: string): void {
  if (isReadable(config)) process.stdout.write(`${text}\n`);
  else {
    // pino's own output writes synchronously by default, and hangs when a pipe is full.
    const output = { write: (line: string) => void process.stdout.write(line) };
    pino({ ...createQuietOptions(), level: 'info', base: null }, output).info(text.trim());
  }
}
