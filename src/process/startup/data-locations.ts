import { describeRedisTarget, readRedisUrl } from '../../platform/redis/url.js';
import { describeStoreUrl } from '../../platform/store/redact-url.js';
import type { Config } from '../settings/config.js';

/** Describes for the log where data is stored, without passwords. */
export function describeDataLocations(
  { dataDir, databaseUrl, redisUrl }: Pick<Config, 'dataDir' | 'databaseUrl' | 'redisUrl'>,
  embeddedFolder: string | null,
): string {
  const store =
    embeddedFolder === null
      ? `PostgreSQL at ${describeStoreUrl(databaseUrl ?? '')}`
      : `embedded PostgreSQL in ${embeddedFolder}`;
  const queue = redisUrl === undefined ? 'in the store' : describeRedis(redisUrl);
  return `Data folder: ${dataDir}; store: ${store}; queue: ${queue}`;
}

function describeRedis(url: string): string {
  const servers = readRedisUrl(url);
  return `Redis at ${servers ? describeRedisTarget(servers) : describeStoreUrl(url)}`;
}
