import type { LogFn, Logger, LoggerOptions } from 'pino';
import { loggedError, loggedFields } from './logged-fields.js';
import { Repeats } from './repeats.js';
import { reasonOf } from './said-once.js';

const WARN = 40;
const ERROR = 50;

/**
 * Options of pino by which a log holds no driver's object and no secret, and tells a repeated fault in one line and a
 * count. A fault is a line of the level `warn` or `error` with an error in `err`; its repetitions, of the same text and
 * reason, are lines of the level `debug`. Lines of a request are all told, for somebody may ask for it by its id; those of its messages, of
 * which there may be many, are not.
 */
export function quietLogging(): Pick<LoggerOptions, 'serializers' | 'formatters' | 'hooks'> {
  return {
    serializers: { err: (error: unknown) => loggedError(error) },
    formatters: { log: loggedFields },
    hooks: { logMethod: tellOnce() },
  };
}

function tellOnce(): (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void {
  const faults = new Map<string, { log: Logger; level: 'warn' | 'error'; message: string }>();
  const repeats = new Repeats({
    onCount: (key, times) => {
      const fault = faults.get(key);
      fault?.log[fault.level]({ times }, `again: ${fault.message}`);
    },
    onForgotten: (key) => faults.delete(key),
  });
  return function logMethod(args, method, level) {
    const [fields, message] = args as unknown as [
      { err?: unknown; requestId?: unknown; messageId?: unknown } | string,
      string?,
    ];
    const isFault = level === WARN || level === ERROR;
    if (!isFault || typeof fields !== 'object' || !fields?.err) return method.apply(this, args);
    const isOfRequest = fields.requestId !== undefined && fields.messageId === undefined;
    if (isOfRequest) return method.apply(this, args);
    const key = JSON.stringify([this.bindings(), message, reasonOf(fields.err)]);
    if (repeats.isRepeated(key)) return this.debug(...args);
    faults.set(key, { log: this, level: level === WARN ? 'warn' : 'error', message: message ?? '' });
    return method.apply(this, args);
  };
}
