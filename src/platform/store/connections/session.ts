export type SessionParameters = Readonly<Record<string, string>>;

const KEEPALIVE_IDLE_S = 10;

/**
 * Lets PostgreSQL detect within 30 s that this machine is gone, and release its locks. `tcp_user_timeout` covers the
 * time while data is unacknowledged, when keepalive sends nothing.
 */
export const PEER_LOSS: SessionParameters = {
  tcp_keepalives_idle: `${KEEPALIVE_IDLE_S}`,
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30000',
};

/** libuv probes every second and gives up after ten unanswered probes. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_IDLE_S * 1000 };

/** Releases the locks of a process that hangs. Only backups and restores need longer, and set their own limit. */
export const IDLE_IN_TRANSACTION_MS = 45_000;
