import { placeOf } from '../platform/store/place.js';
import type { Config } from './settings/config.js';

/**
 * Says where everything lies that a process keeps, in one line without any password.
 * @param cluster folder of the embedded PostgreSQL; null where DATABASE_URL names another
 */
export function whereThingsLie(
  { dataDir, databaseUrl, redisUrl }: Pick<Config, 'dataDir' | 'databaseUrl' | 'redisUrl'>,
  cluster: string | null,
): string {
  const store = cluster === null ? `PostgreSQL at ${placeOf(databaseUrl ?? '')}` : `embedded PostgreSQL in ${cluster}`;
  const queue = redisUrl === undefined ? 'in the store' : `Redis at ${placeOf(redisUrl)}`;
  return `Data folder: ${dataDir}; store: ${store}; queue: ${queue}`;
}
