/*
 * What a failure of the store means, one question a function: which SQLSTATE it has, whether the statement may have been
 * committed, whether another try may succeed, and whether the store can be reached at all.
 */

/** SQLSTATE of an error that PostgreSQL reported; undefined where the connection itself failed. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  // Every SQLSTATE has a digit; a socket's EPIPE or EPERM has none.
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * Whether it is unknown if the statement was committed: the connection broke before its answer came, or the server was
 * shutting down (class 08 and 57P01 to 57P05 of PostgreSQL's error codes).
 */
export function outcomeUnknown(error: unknown): boolean {
  const state = sqlState(error);
  // A pool that could not connect in time, a socket error, or a connection that ended: none has an SQLSTATE.
  if (state !== undefined) return state.startsWith('08') || state.startsWith('57P');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

/** SQLSTATE of a statement that gave up waiting for a lock. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** Whether the transaction was rolled back for a reason that another try may not meet: deadlock or serialization. */
export function worthRepeating(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40P01' || state === '40001' || state === LOCK_NOT_AVAILABLE;
}

/** Of `pg`'s pool, and of SteadyClient. */
const SILENCE =
  /^(timeout expired|timeout exceeded when trying to connect|Connection terminated due to connection timeout)/;

/** Whether the store was waited for in vain, for as long as the pool's patience lasts: nobody waits twice. */
export function wasSilent(error: unknown): boolean {
  return error instanceof Error && (error.name === 'StoreSilentError' || SILENCE.test(error.message));
}

/**
 * PostgreSQL is there but cannot do its work: the disk is full (53100), memory or connections are used up (53), files
 * cannot be read or written (58), or it takes no writes, as a standby does (25006).
 */
const UNABLE_STATES = /^(53[0-9A-Z]{3}|58[0-9A-Z]{3}|25006)$/;

/** Whether PostgreSQL rolled the transaction back because it is unable to do its work at the moment. */
export function isUnable(error: unknown): boolean {
  return UNABLE_STATES.test(sqlState(error) ?? '');
}

/** Whether the failure passes by itself: another try, a moment later, may learn the outcome or bring it about. */
export function isTransient(error: unknown): boolean {
  return outcomeUnknown(error) || worthRepeating(error) || isUnable(error);
}

/** Codes of Node.js (`net`, `dns`, `tls`, streams) and of Prisma that only a lost or refused connection has. */
const AWAY_CODES = new Set([
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
  // Prisma: cannot reach or sign in to the database, TLS failed, the connection closed, no connection was free.
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
/** Failures of name resolution, and of TLS: the handshake, or a certificate that expired or is not trusted. */
const AWAY_CODE_FORMS =
  /^(EAI_|ERR_SSL_|ERR_TLS_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH_)/;
/**
 * Codes that mean this only while connecting. Files have them too, and a file that is missing is an error of ours. ENOENT,
 * EACCES and EAGAIN (full backlog) come from a Unix socket; the others from a machine without ports, descriptors or memory.
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
 * PostgreSQL: connection exceptions (08), shutdowns and recovery (57P), refused sign-ins (28) and databases (3D000), and
 * sessions that a timeout ended (25P03, 25P04).
 */
const AWAY_STATES = /^(08[0-9A-Z]{3}|57P[0-9A-Z]{2}|28[0-9A-Z]{3}|3D000|25P03|25P04)$/;
/** Kinds of errors of Prisma's driver adapter. */
const AWAY_KINDS = new Set([
  'AuthenticationFailed',
  'ConnectionClosed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
]);
/** `pg` gives these no code. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection|Client was closed and is not queryable|Cannot use a pool after calling end|The server does not support SSL connections|There was an error establishing an SSL connection)/;

/** Prisma keeps the code of a socket's error, not its system call. Prisma uses no files. */
const PRISMA_ERROR = 'PrismaClientKnownRequestError';

interface Failure {
  name?: unknown;
  code?: unknown;
  /** Node.js: which system call failed, such as `connect`. */
  syscall?: unknown;
  /** PostgreSQL: FATAL where the error ended the session. */
  severity?: unknown;
  /** Of an AggregateError: one for each address that was tried. */
  errors?: unknown;
  kind?: unknown;
  message?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: unknown };
}

/**
 * Whether an error says that PostgreSQL cannot be reached, or cannot work, at the moment, by `pg` or by Prisma. Unlike `outcomeUnknown`
 * it takes no error without a known sign for that: a caller is told so, and an error of our own must not hide behind it.
 */
export function isStoreAway(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { name, code, syscall, severity, errors, kind, message, cause, meta } = error as Failure;
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  if (typeof code === 'string' && isAwayCode(code, syscall === 'connect' || name === PRISMA_ERROR)) return true;
  if (typeof kind === 'string' && AWAY_KINDS.has(kind)) return true;
  if (typeof message === 'string' && AWAY_MESSAGES.test(message)) return true;
  if (Array.isArray(errors) && errors.some((each) => isStoreAway(each, depth + 1))) return true;
  return isStoreAway(cause, depth + 1) || isStoreAway(meta?.driverAdapterError, depth + 1);
}

function isAwayCode(code: string, isConnecting: boolean): boolean {
  if (AWAY_CODES.has(code) || AWAY_CODE_FORMS.test(code)) return true;
  return AWAY_STATES.test(code) || UNABLE_STATES.test(code) || (isConnecting && CONNECT_CODES.has(code));
}

const CHECK_VIOLATION = '23514';

/** Whether a row has a key for which a divided table has no partition. Of a rule of the table its name would be told. */
export function lacksPartition(error: unknown): boolean {
  return sqlState(error) === CHECK_VIOLATION && (error as { constraint?: unknown }).constraint === undefined;
}
