/** Parameters of a PostgreSQL session, as text. */
export type SessionParameters = Readonly<Record<string, string>>;

/** How long a connection may be silent before the kernel checks that the peer is still there, in seconds. */
const KEEPALIVE_IDLE_S = 10;

/**
 * Lets PostgreSQL detect within 30 s that this machine is gone, roll back its transactions and release their locks.
 * With Linux's defaults that takes two hours. Keepalive covers a silent connection. `tcp_user_timeout` covers
 * unacknowledged data, during which keepalive sends nothing. PostgreSQL ignores all four on Unix sockets.
 */
export const PEER_LOSS: SessionParameters = {
  tcp_keepalives_idle: `${KEEPALIVE_IDLE_S}`,
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30000',
};

/** The same for our side of a connection. libuv probes every second and gives up after ten unanswered probes. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_IDLE_S * 1000 };

/**
 * How long a pool's transaction may wait for our next statement before PostgreSQL rolls it back. This releases the
 * locks of a process that is stopped, or that a proxy still answers for. Our transactions wait for nothing but the
 * store; only backups and restores need longer and set their own limit.
 */
export const IDLE_IN_TRANSACTION_MS = 45_000;
