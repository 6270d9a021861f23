import type { LogFn, Logger, LoggerOptions } from 'pino';
import { loggedError, loggedFields, withoutStacks } from './logged-fields.js';
import { Repeats } from './repeats.js';
import { reasonOf } from './said-once.js';

const WARN = 40;
const ERROR = 50;
/** A code that PostgreSQL, a socket or a driver gave; any other reason is a text, and its stack is all that tells it. */
const CODE = /^[A-Z0-9_]{5,}$/;

/**
 * Options of pino by which a log holds no driver's object and no secret, and tells a repeated fault in one line and a
 * count. A fault is a line of the level `warn` or `error` with an error in `err`; its repetitions, of the same text and
 * reason, are lines of the level `debug`. Lines of a request are all told, for somebody may ask for it by its id; those of
 * its messages, of which there may be many, are not. What fails for a code that another line has just told the stack of, as
 * all loops do whose store is away, is told without its own.
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
  const stacks = new Repeats({ onCount: () => undefined });
  return function logMethod(args, method, level) {
    const [fields, message] = args as unknown as [
      { err?: unknown; requestId?: unknown; messageId?: unknown } | string,
      string?,
    ];
    const isFault = level === WARN || level === ERROR;
    if (!isFault || typeof fields !== 'object' || !fields?.err) return method.apply(this, args);
    const isOfRequest = fields.requestId !== undefined && fields.messageId === undefined;
    if (isOfRequest) return method.apply(this, args);
    const bindings = this.bindings();
    const reason = reasonOf(fields.err);
    const key = JSON.stringify([bindings, message, reason]);
    if (repeats.isRepeated(key)) return this.debug(...args);
    faults.set(key, { log: this, level: level === WARN ? 'warn' : 'error', message: message ?? '' });
    const isKnown = CODE.test(reason) && stacks.isRepeated(JSON.stringify([bindings, reason]));
    if (!isKnown) return method.apply(this, args);
    return method.call(this, { ...fields, err: withoutStacks(loggedError(fields.err)) }, message);
  };
}
