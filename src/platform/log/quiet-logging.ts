import type { LogFn, Logger, LoggerOptions } from 'pino';
import { findReason } from './failure-log.js';
import { removeStacks, toLoggedError, toLoggedFields } from './logged-fields.js';
import { RepeatCounter } from './repeat-counter.js';

const WARN = 40;
const ERROR = 50;
/** Failure reasons that are not error codes are free text, and are always logged with a stack. */
const CODE = /^[A-Z0-9_]{5,}$/;

/**
 * Logs a repeated fault once, and later how often it was repeated. Log lines about a request are never suppressed, because
 * someone may look them up by request ID. The stack is left out if the same error code was recently logged with a stack.
 */
export function createQuietOptions(): Pick<LoggerOptions, 'serializers' | 'formatters' | 'hooks'> {
  return {
    serializers: { err: (error: unknown) => toLoggedError(error) },
    formatters: { log: toLoggedFields },
    hooks: { logMethod: suppressRepeats() },
  };
}

function suppressRepeats(): (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void {
  const faults = new Map<string, { log: Logger; level: 'warn' | 'error'; message: string }>();
  const repeats = new RepeatCounter({
    onCount: (key, times) => {
      const fault = faults.get(key);
      fault?.log[fault.level]({ times }, `again: ${fault.message}`);
    },
    onForgotten: (key) => faults.delete(key),
  });
  const stacks = new RepeatCounter({ onCount: () => undefined });
  return function logMethod(args, method, level) {
    const [fields, message] = args as unknown as [
      { err?: unknown; requestId?: unknown; messageId?: unknown } | string,
      string?,
    ];
    const isFault = level === WARN || level === ERROR;
    if (!isFault || typeof fields !== 'object' || !fields?.err) return method.apply(this, args);
    const isAboutRequest = fields.requestId !== undefined && fields.messageId === undefined;
    if (isAboutRequest) return method.apply(this, args);
    const bindings = this.bindings();
    const reason = findReason(fields.err);
    const key = JSON.stringify([bindings, message, reason]);
    if (repeats.isRepeated(key)) return this.debug(...args);
    faults.set(key, { log: this, level: level === WARN ? 'warn' : 'error', message: message ?? '' });
    const isStackLogged = CODE.test(reason) && stacks.isRepeated(JSON.stringify([bindings, reason]));
    if (!isStackLogged) return method.apply(this, args);
    return method.call(this, { ...fields, err: removeStacks(toLoggedError(fields.err)) }, message);
  };
}
