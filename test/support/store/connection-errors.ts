/* Errors of Node.js, `pg` and Prisma while PostgreSQL stops, restarts, recovers or accepts no more connections. */

const systemError = (code: string, syscall: string) =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, errno: -1 });
const postgresError = (code: string, severity = 'ERROR') =>
  Object.assign(new Error(`SQLSTATE ${code}`), { code, severity, name: 'error' });

/** Error codes of connect(2) in Node.js, for TCP and Unix sockets. */
const CONNECTING = [
  'EACCES',
  'EADDRNOTAVAIL',
  'EAGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENFILE',
  'ENOBUFS',
  'ENOENT',
  'ENOMEM',
  'ENOTSOCK',
  'EPERM',
  'ETIMEDOUT',
];
const READING = ['ECONNRESET', 'ECONNABORTED', 'EHOSTUNREACH', 'ENETDOWN', 'ENETRESET', 'ENOTCONN', 'ETIMEDOUT'];
const WRITING = ['ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT'];
const RESOLVING = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_MEMORY', 'EAI_SYSTEM'];
const WITHOUT_SYSCALL = [
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'EPROTO',
  'ERR_SOCKET_CLOSED',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_STREAM_DESTROYED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
/** Errors of `pg` and its pool that have no code. */
const MESSAGES = [
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Connection terminated',
  'Connection terminated due to connection timeout',
  'Connection terminated unexpectedly',
  'Cannot use a pool after calling end on the pool',
  'The server does not support SSL connections',
  'There was an error establishing an SSL connection',
  'timeout exceeded when trying to connect',
  'timeout expired',
];
/** SQLSTATEs of PostgreSQL and PgBouncer about connections, shutdowns, recovery, resources and sign-in. */
const STATES = [
  ...['08000', '08001', '08003', '08004', '08006', '08P01'],
  ...['57P01', '57P02', '57P03', '57P04', '57P05', '25P03', '25P04'],
  ...['53000', '53100', '53200', '53300', '53400', '58000', '58030', '58P01', '25006'],
  ...['28000', '28P01', '3D000'],
];

export const CONNECTION_ERRORS: readonly (readonly [name: string, error: Error])[] = [
  ...CONNECTING.map((code) => [`connect ${code}`, systemError(code, 'connect')] as const),
  ...READING.map((code) => [`read ${code}`, systemError(code, 'read')] as const),
  ...WRITING.map((code) => [`write ${code}`, systemError(code, 'write')] as const),
  ...RESOLVING.map((code) => [`getaddrinfo ${code}`, systemError(code, 'getaddrinfo')] as const),
  ...WITHOUT_SYSCALL.map((code) => [code, Object.assign(new Error(code), { code })] as const),
  ...MESSAGES.map((message) => [message, new Error(message)] as const),
  ...STATES.map((code) => [`SQLSTATE ${code}`, postgresError(code)] as const),
  ['SQLSTATE 55000 that ends the session', postgresError('55000', 'FATAL')],
  ['several addresses', new AggregateError([systemError('EPERM', 'connect')], 'every address failed')],
];
