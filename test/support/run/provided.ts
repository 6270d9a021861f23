export interface Services {
  /** Folder that is removed after the run, even if the run is killed. */
  runFolder: string;
  /** URL of the maintenance database, for a superuser. */
  postgresUrl: string;
  templateDatabase: string;
  /** PostgreSQL's strategy for copying a database: FILE_COPY is faster without a disk. */
  strategy: 'FILE_COPY' | 'WAL_LOG';
  redisUrl: string | null;
  /** Program that starts Redis servers, or null if none is installed. */
  redisBinary: string | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: Services;
    browserUrl: string | null;
  }
}

/** Suites with a requirement have a name suffix, by which the reporter counts skipped suites. */
export const REDIS_SUITE = '[redis]';

export const NET_SMPP_SUITE = '[net-smpp]';

export const PROMTOOL_SUITE = '[promtool]';

export const LANGUAGES_SUITE = '[languages]';

export const NGINX_SUITE = '[nginx]';

export const NAMESPACES_SUITE = '[namespaces]';

export const PGBOUNCER_SUITE = '[pgbouncer]';

export const HELM_SUITE = '[helm]';

export const POSTGRES_SUITE = '[postgresql]';

export const BROWSER_SUITE = '[browser]';

export const SMALL_DISK_SUITE = '[small-disk]';
