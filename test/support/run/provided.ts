export interface Services {
  /** Removed after the run with all processes working in it, even if the run is killed. */
  runFolder: string;
  /** A superuser's URL of the maintenance database. */
  postgresUrl: string;
  templateDatabase: string;
  /** Copying files is faster if no disk is involved. */
  strategy: 'FILE_COPY' | 'WAL_LOG';
  redisUrl: string | null;
  /** Program to start more servers; null if there is none. */
  redisBinary: string | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: Services;
    browserUrl: string | null;
  }
}

/** Name suffixes by which the reporter counts skipped suites, by missing requirement. */
export const REDIS_SUITE = '[redis]';

export const NET_SMPP_SUITE = '[net-smpp]';

export const PROMTOOL_SUITE = '[promtool]';

export const NGINX_SUITE = '[nginx]';

export const NAMESPACES_SUITE = '[namespaces]';

export const PGBOUNCER_SUITE = '[pgbouncer]';

export const HELM_SUITE = '[helm]';

export const POSTGRES_SUITE = '[postgresql]';

export const BROWSER_SUITE = '[browser]';

export const SMALL_DISK_SUITE = '[small-disk]';
