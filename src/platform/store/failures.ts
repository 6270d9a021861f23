/** Returns undefined if the connection itself failed. */
export function getSqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  // Unlike EPIPE or EPERM, every SQLSTATE contains a digit.
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Returns true if the connection broke before the response or the server was shutting down (classes 08 and 57P). */
export function isOutcomeUnknown(error: unknown): boolean {
  const state = getSqlState(error);
  // Other connection failures have no SQLSTATE.
  if (state !== undefined) return state.startsWith('08') || state.startsWith('57P');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

export const LOCK_NOT_AVAILABLE = '55P03';

/** Returns true if the transaction was rolled back for a reason that a retry may avoid, such as a deadlock. */
export function isRetryable(error: unknown): boolean {
  const state = getSqlState(error);
  return state === '40P01' || state === '40001' || state === LOCK_NOT_AVAILABLE;
}

/** Timeout messages of `pg`'s pool and of SteadyClient. */
const TIMEOUT_MESSAGES =
  /^(timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;

/** Returns true if the caller has already waited for a whole timeout and should not wait again. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error.name === 'StoreSilentError' || TIMEOUT_MESSAGES.test(error.message));
}

/**
 * SQLSTATEs for a lack of disk space, memory or connections (class 53), file errors (class 58) and read-only servers (25006).
 */
const UNABLE_STATES = /^(53[0-9A-Z]{3}|58[0-9A-Z]{3}|25006)$/;

export function isStoreUnable(error: unknown): boolean {
  return UNABLE_STATES.test(getSqlState(error) ?? '');
}

/** Returns true if a later retry may succeed or reveal the outcome. */
export function isTransient(error: unknown): boolean {
  return isOutcomeUnknown(error) || isRetryable(error) || isStoreUnable(error);
}

/** Error codes of Node.js (`net`, `dns`, `tls`, streams) and Prisma. */
const UNREACHABLE_CODES = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
  'ESHUTDOWN',
  'ETIMEDOUT',
  'ERR_SOCKET_CLOSED',
  'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  // Prisma's codes for an unreachable database, a failed sign-in or TLS handshake, a closed connection, or no free connection.
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
  'P1017',
  'P2024',
  'P2028',
  'P2037',
]);
const UNREACHABLE_CODE_FORMS =
  /^(EAI_|ERR_SSL_|ERR_TLS_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_)/;
/**
 * Codes that mean an unreachable store only while connecting, because file operations can also cause them. ENOENT, EACCES and
 * EAGAIN come from a Unix socket; the other codes mean that the machine lacks ports, descriptors or memory.
 */
const CONNECT_CODES = new Set([
  'EACCES',
  'EADDRNOTAVAIL',
  'EAGAIN',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ENOENT',
  'ENOMEM',
  'ENOTSOCK',
  'EPERM',
]);
/**
 * SQLSTATEs of an unreachable store: classes 08, 57P and 28, missing databases (3D000), and session timeouts (25P03, 25P04).
 */
const UNREACHABLE_STATES = /^(08[0-9A-Z]{3}|57P[0-9A-Z]{2}|28[0-9A-Z]{3}|3D000|25P03|25P04)$/;
/** From Prisma's driver adapter. */
const UNREACHABLE_KINDS = new Set([
  'AuthenticationFailed',
  'ConnectionClosed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
]);
/** Messages of `pg` errors that have no code. */
const UNREACHABLE_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection|Client was closed and is not queryable|Cannot use a pool after calling end|The server does not support SSL connections|There was an error establishing an SSL connection)/;

/** Prisma's errors have no `syscall`, but always concern a connection, because Prisma uses no files. */
const PRISMA_ERROR = 'PrismaClientKnownRequestError';

interface Failure {
  name?: unknown;
  code?: unknown;
  /** For example `connect`. */
  syscall?: unknown;
  /** FATAL ends the session. */
  severity?: unknown;
  /** An AggregateError contains one error per address. */
  errors?: unknown;
  kind?: unknown;
  message?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: unknown };
}

/** Recognizes only known connection errors, so that errors in our own code stay visible. */
export function isStoreUnreachable(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { name, code, syscall, severity, errors, kind, message, cause, meta } = error as Failure;
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  if (typeof code === 'string' && isUnreachableCode(code, syscall === 'connect' || name === PRISMA_ERROR)) return true;
  if (typeof kind === 'string' && UNREACHABLE_KINDS.has(kind)) return true;
  if (typeof message === 'string' && UNREACHABLE_MESSAGES.test(message)) return true;
  if (Array.isArray(errors) && errors.some((nested) => isStoreUnreachable(nested, depth + 1))) return true;
  return isStoreUnreachable(cause, depth + 1) || isStoreUnreachable(meta?.driverAdapterError, depth + 1);
}

function isUnreachableCode(code: string, isConnecting: boolean): boolean {
  if (UNREACHABLE_CODES.has(code) || UNREACHABLE_CODE_FORMS.test(code)) return true;
  return UNREACHABLE_STATES.test(code) || UNABLE_STATES.test(code) || (isConnecting && CONNECT_CODES.has(code));
}

const CHECK_VIOLATION = '23514';

/** The error for a violated CHECK constraint names the constraint, but the error for a missing partition does not. */
export function isPartitionMissing(error: unknown): boolean {
  return getSqlState(error) === CHECK_VIOLATION && (error as { constraint?: unknown }).constraint === undefined;
}
