/** What the global set-up hands to every test process. */
export interface Services {
  /** The run's own folder: what lies and works in it goes with the run, even when that is killed. */
  runFolder: string;
  /** A superuser's URL of the test server's maintenance database. */
  postgresUrl: string;
  /** The database that holds every migration and nothing else. */
  templateDatabase: string;
  /** How PostgreSQL copies the template: files are quicker where nothing waits for a disk. */
  strategy: 'FILE_COPY' | 'WAL_LOG';
  /** Null where this machine has no Redis: suites that need one are skipped. */
  redisUrl: string | null;
  /** A redis-server or valkey-server to start further servers with; null where there is none. */
  redisBinary: string | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: Services;
    /** Where the browser of the browser tests listens; null where this machine has none. */
    browserUrl: string | null;
  }
}

/** The end of a suite's name by which the reporter counts what was skipped for want of a Redis. */
export const REDIS_SUITE = '[redis]';

/** The end of a suite's name by which the reporter counts what was skipped for want of Net::SMPP. */
export const NET_SMPP_SUITE = '[net-smpp]';

/** The end of a suite's name by which the reporter counts what was skipped for want of promtool. */
export const PROMTOOL_SUITE = '[promtool]';

/** The end of a suite's name by which the reporter counts what was skipped for want of nginx. */
export const NGINX_SUITE = '[nginx]';

/** The end of a suite's name by which the reporter counts what was skipped for want of Linux namespaces. */
export const NAMESPACES_SUITE = '[namespaces]';

/** The end of a suite's name by which the reporter counts what was skipped for want of PgBouncer. */
export const PGBOUNCER_SUITE = '[pgbouncer]';

/** The end of a suite's name by which the reporter counts what was skipped for want of helm or kubectl. */
export const HELM_SUITE = '[helm]';

/** The end of a suite's name by which the reporter counts what was skipped for lack of another PostgreSQL than the embedded one. */
export const POSTGRES_SUITE = '[postgresql]';

/** The end of a suite's name by which the reporter counts what was skipped for want of a browser. */
export const BROWSER_SUITE = '[browser]';

/** The end of a suite's name by which the reporter counts what was skipped because nothing may be mounted. */
export const SMALL_DISK_SUITE = '[small-disk]';
