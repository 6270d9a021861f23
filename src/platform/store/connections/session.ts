export type SessionParameters = Readonly<Record<string, string>>;

const KEEPALIVE_IDLE_S = 10;

/**
 * Lets PostgreSQL detect within 30 s that this machine is gone, so that its locks are released. `tcp_user_timeout` is needed
 * because TCP sends no keepalive probes while data is unacknowledged.
 */
export const PEER_LOSS: SessionParameters = {
  tcp_keepalives_idle: `${KEEPALIVE_IDLE_S}`,
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '4',
  tcp_user_timeout: '30000',
};

/** After the initial delay, libuv probes every second and gives up after ten unanswered probes. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: KEEPALIVE_IDLE_S * 1000 };

/**
 * Timeout that releases the locks of a hanging process. Backups and restores need more time and therefore set their own limit.
 */
export const IDLE_IN_TRANSACTION_MS = 45_000;
