import { placeOfSeveral, readRedisUrl } from '../../platform/redis/url.js';
import { placeOf } from '../../platform/store/place.js';
import type { Config } from '../settings/config.js';

/**
 * Says where everything lies that a process keeps, in one line without any password.
 * @param cluster folder of the embedded PostgreSQL; null where DATABASE_URL names another
 */
export function describeDataLocations(
  { dataDir, databaseUrl, redisUrl }: Pick<Config, 'dataDir' | 'databaseUrl' | 'redisUrl'>,
  cluster: string | null,
): string {
  const store = cluster === null ? `PostgreSQL at ${placeOf(databaseUrl ?? '')}` : `embedded PostgreSQL in ${cluster}`;
  const queue = redisUrl === undefined ? 'in the store' : ofRedis(redisUrl);
  return `Data folder: ${dataDir}; store: ${store}; queue: ${queue}`;
}

function ofRedis(url: string): string {
  const several = readRedisUrl(url);
  return `Redis at ${several ? placeOfSeveral(several) : placeOf(url)}`;
}
