/*
 * What a failure of the store means, one question a function: which SQLSTATE it has, whether the statement may have been
 * committed, whether another try may succeed, and whether the store can be reached at all.
 */

/** SQLSTATE of an error that PostgreSQL reported; undefined where the connection itself failed. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  // A socket's EPIPE has the form of one.
  return typeof code === 'string' && code !== 'EPIPE' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
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

/** Whether the transaction was rolled back for a reason that another try may not meet: deadlock or serialization. */
export function worthRepeating(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40P01' || state === '40001' || state === '55P03';
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

/** Of Node.js sockets and resolvers, and of Prisma: the server cannot be reached, or went away. */
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
]);
/** PostgreSQL: connection exceptions (08) and shutdowns (57P). */
const AWAY_STATES = /^(08[0-9A-Z]{3}|57P[0-9A-Z]{2})$/;
/** Kinds that Prisma's driver adapter gives. */
const AWAY_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** `pg` gives these no code. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection)/;

interface Failure {
  code?: unknown;
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
  const { code, kind, message, cause, meta } = error as Failure;
  if (typeof code === 'string' && (AWAY_CODES.has(code) || AWAY_STATES.test(code) || UNABLE_STATES.test(code))) {
    return true;
  }
  if (typeof kind === 'string' && AWAY_KINDS.has(kind)) return true;
  if (typeof message === 'string' && AWAY_MESSAGES.test(message)) return true;
  return isStoreAway(cause, depth + 1) || isStoreAway(meta?.driverAdapterError, depth + 1);
}

const CHECK_VIOLATION = '23514';

/** Whether a row has a key for which a divided table has no partition. Of a rule of the table its name would be told. */
export function lacksPartition(error: unknown): boolean {
  return sqlState(error) === CHECK_VIOLATION && (error as { constraint?: unknown }).constraint === undefined;
}
