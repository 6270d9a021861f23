import { types } from 'node:util';

/** What is told of an error beside its message. None of them quotes a row, a statement or the arguments of a command. */
const PLAIN_FIELDS = [
  'code',
  'errno',
  'syscall',
  'address',
  'hostname',
  'port',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
  'kind',
  'originalCode',
  'status',
  'statusCode',
  'retryable',
  'answerLost',
] as const;

const LONGEST_MESSAGE = 2_000;
const LONGEST_STACK = 8_000;
/** Causes below each other, and objects within each other, that are told of. */
const DEEPEST = 4;
const MOST_ERRORS = 5;

const SECRET_NAME = /password|passwd|secret|token|authorization|cookie|api-?_?key|private-?_?key|totp/i;
/** The user's part of a URL. */
const CREDENTIALS = /(:\/\/)[^\s/@]+@/g;

/** As much of an error as a log may hold: never the objects that drivers hang on it, such as clients and sockets. */
export interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  cause?: unknown;
  [field: string]: unknown;
}

type Loose = Record<string, unknown>;

/**
 * What a log tells of an error: type, message, stack, code and a few plain fields; of its causes the same. Anything that
 * is no error is cut down as `loggedFields` cuts it.
 */
export function loggedError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return loggedValue(error, depth);
  const { cause, errors, meta, command } = error as unknown as Loose & { meta?: Loose; command?: Loose };
  const below = cause ?? meta?.driverAdapterError;
  const logged: LoggedError = {
    type: typeNameOf(error),
    message: cut(error.message, LONGEST_MESSAGE),
    ...(typeof error.stack === 'string' && { stack: cut(error.stack, LONGEST_STACK) }),
    ...plainFieldsOf(error as unknown as Loose),
    // ioredis: its arguments are values.
    ...(typeof command?.name === 'string' && { command: command.name }),
  };
  if (depth >= DEEPEST) return logged;
  if (below !== undefined && below !== null) logged.cause = loggedCause(below, depth + 1);
  if (Array.isArray(errors)) logged.errors = errors.slice(0, MOST_ERRORS).map((each) => loggedCause(each, depth + 1));
  return logged;
}

/** What a log tells of an error without its stack and those of its causes. */
export function withoutStacks(logged: unknown): unknown {
  if (Array.isArray(logged)) return logged.map(withoutStacks);
  if (typeof logged !== 'object' || logged === null) return logged;
  const fields = Object.entries(logged).filter(([name]) => name !== 'stack');
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutStacks(value)]));
}

/**
 * The fields of a log line without what must not be in it: errors are told as `loggedError` does, objects of a class by
 * the name of their class, and what is named like a secret not at all.
 */
export function loggedFields(fields: object): Loose {
  return plainCopy(fields as Loose, 0);
}

/** A driver's cause may be a plain object. */
function loggedCause(cause: unknown, depth: number): unknown {
  if (isError(cause)) return loggedError(cause, depth);
  if (typeof cause !== 'object' || cause === null) return loggedValue(cause, depth);
  const { message, originalMessage } = cause as Loose;
  const text = message ?? originalMessage;
  return { ...(typeof text === 'string' && { message: cut(text, LONGEST_MESSAGE) }), ...plainFieldsOf(cause as Loose) };
}

function plainFieldsOf(error: Loose): Loose {
  return Object.fromEntries(
    PLAIN_FIELDS.filter((name) => ['string', 'number', 'boolean'].includes(typeof error[name])).map((name) => {
      const value = error[name];
      return [name, typeof value === 'string' ? cut(value, LONGEST_MESSAGE) : value];
    }),
  );
}

function plainCopy(fields: Loose, depth: number): Loose {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecret(name, value) ? '[redacted]' : loggedValue(value, depth),
    ]),
  );
}

function loggedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.replace(CREDENTIALS, '$1[redacted]@');
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (isError(value)) return loggedError(value, depth);
  if (depth >= DEEPEST) return `[${typeNameOf(value)}]`;
  if (Array.isArray(value)) return value.map((each) => loggedValue(each, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `[${typeNameOf(value)}]`;
  return plainCopy(value as Loose, depth + 1);
}

function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

function typeNameOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'Object';
}

function isSecret(name: string, value: unknown): boolean {
  return (typeof value === 'string' || (typeof value === 'object' && value !== null)) && SECRET_NAME.test(name);
}

function cut(text: unknown, longest: number): string {
  const clean = String(text).replace(CREDENTIALS, '$1[redacted]@');
  return clean.length > longest ? `${clean.slice(0, longest)}…` : clean;
}
