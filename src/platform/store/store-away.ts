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
]);
/** PostgreSQL: connection exceptions (08), shutdowns (57P), and too many connections. */
const AWAY_STATES = /^(08[0-9A-Z]{3}|57P[0-9A-Z]{2}|53300)$/;
/** Kinds that Prisma's driver adapter gives. */
const AWAY_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
/** `pg` gives these no code. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/;

interface Failure {
  code?: unknown;
  kind?: unknown;
  message?: unknown;
  cause?: unknown;
  meta?: { driverAdapterError?: unknown };
}

/** Whether an error says that PostgreSQL cannot be reached at the moment, by `pg` or by Prisma. */
export function isStoreAway(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { code, kind, message, cause, meta } = error as Failure;
  if (typeof code === 'string' && (AWAY_CODES.has(code) || AWAY_STATES.test(code))) return true;
  if (typeof kind === 'string' && AWAY_KINDS.has(kind)) return true;
  if (typeof message === 'string' && AWAY_MESSAGES.test(message)) return true;
  return isStoreAway(cause, depth + 1) || isStoreAway(meta?.driverAdapterError, depth + 1);
}
