/** Parameters of a PostgreSQL session, as text. */
export type SessionParameters = Readonly<Record<string, string>>;

/** How long a connection may be silent before the kernel checks, in seconds, whether the peer is still there. */
const KEEPALIVE_IDLE_S = 10;

/**
 * Lets PostgreSQL detect within 30 s that this machine is gone, so that its transactions are rolled back and their locks are
 * free. With the defaults of Linux that takes two hours. Keepalive detects it on a silent connection; `tcp_user_timeout` where
 * the server has sent something that is never acknowledged, for then keepalive sends nothing. On Unix sockets PostgreSQL
 * ignores all four.
 */
export const PEER_LOSS: SessionParameters = {
  tcp_keepalives_idle: `${KEEPALIVE_IDLE_S}`,
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30000',
};

/** The same for our end of a connection. libuv probes every second and gives up after ten probes without an answer. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_IDLE_S * 1000 };

/**
 * How long a transaction of a pool may wait for our next statement before PostgreSQL rolls it back. It frees the locks of a process
 * that is stopped, or that a proxy in between still answers for. Nothing in a transaction waits for anything but the store,
 * so only backups and restores need longer; they set their own.
 */
export const IDLE_IN_TRANSACTION_MS = 45_000;
