import { types } from 'node:util';

/** Error fields that never contain a row, a statement or the arguments of a command. */
const SAFE_FIELDS = [
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

const MAX_MESSAGE_LENGTH = 2_000;
const MAX_STACK_LENGTH = 8_000;
const MAX_DEPTH = 4;
const MAX_ERRORS = 5;

const SECRET_NAME = /password|passwd|secret|token|authorization|cookie|api-?_?key|private-?_?key|totp/i;
const CREDENTIALS = /(:\/\/)[^\s/@]+@/g;

/** Loggable form of an error, without objects that drivers attach, such as clients and sockets. */
export interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  cause?: unknown;
  [field: string]: unknown;
}

type Fields = Record<string, unknown>;

export function toLoggedError(error: unknown, depth = 0): unknown {
  if (!isError(error)) return toLoggedValue(error, depth);
  const { cause, errors, meta, command } = error as unknown as Fields & { meta?: Fields; command?: Fields };
  const inner = cause ?? meta?.driverAdapterError;
  const loggedError: LoggedError = {
    type: findTypeName(error),
    message: sanitize(error.message, MAX_MESSAGE_LENGTH),
    ...(typeof error.stack === 'string' && { stack: sanitize(error.stack, MAX_STACK_LENGTH) }),
    ...pickSafeFields(error as unknown as Fields),
    // ioredis attaches the failed command, whose arguments are secret.
    ...(typeof command?.name === 'string' && { command: command.name }),
  };
  if (depth >= MAX_DEPTH) return loggedError;
  if (inner !== undefined && inner !== null) loggedError.cause = toLoggedCause(inner, depth + 1);
  if (Array.isArray(errors))
    loggedError.errors = errors.slice(0, MAX_ERRORS).map((nested) => toLoggedCause(nested, depth + 1));
  return loggedError;
}

export function removeStacks(logged: unknown): unknown {
  if (Array.isArray(logged)) return logged.map(removeStacks);
  if (typeof logged !== 'object' || logged === null) return logged;
  const fields = Object.entries(logged).filter(([name]) => name !== 'stack');
  return Object.fromEntries(fields.map(([name, value]) => [name, removeStacks(value)]));
}

/** Replaces class instances with their class names, and redacts fields whose names suggest a secret. */
export function toLoggedFields(fields: object): Fields {
  return copyPlainFields(fields as Fields, 0);
}

function toLoggedCause(cause: unknown, depth: number): unknown {
  if (isError(cause)) return toLoggedError(cause, depth);
  if (typeof cause !== 'object' || cause === null) return toLoggedValue(cause, depth);
  const { message, originalMessage } = cause as Fields;
  const text = message ?? originalMessage;
  return {
    ...(typeof text === 'string' && { message: sanitize(text, MAX_MESSAGE_LENGTH) }),
    ...pickSafeFields(cause as Fields),
  };
}

function pickSafeFields(error: Fields): Fields {
  return Object.fromEntries(
    SAFE_FIELDS.filter((name) => ['string', 'number', 'boolean'].includes(typeof error[name])).map((name) => {
      const value = error[name];
      return [name, typeof value === 'string' ? sanitize(value, MAX_MESSAGE_LENGTH) : value];
    }),
  );
}

function copyPlainFields(fields: Fields, depth: number): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isSecret(name, value) ? '[redacted]' : toLoggedValue(value, depth),
    ]),
  );
}

function toLoggedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.replace(CREDENTIALS, '$1[redacted]@');
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (isError(value)) return toLoggedError(value, depth);
  if (depth >= MAX_DEPTH) return `[${findTypeName(value)}]`;
  if (Array.isArray(value)) return value.map((item) => toLoggedValue(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `[${findTypeName(value)}]`;
  return copyPlainFields(value as Fields, depth + 1);
}

function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

function findTypeName(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? name : 'Object';
}

function isSecret(name: string, value: unknown): boolean {
  return (typeof value === 'string' || (typeof value === 'object' && value !== null)) && SECRET_NAME.test(name);
}

function sanitize(text: unknown, maxLength: number): string {
  const redacted = String(text).replace(CREDENTIALS, '$1[redacted]@');
  return redacted.length > maxLength ? `${redacted.slice(0, maxLength)}…` : redacted;
}
