import { PgBouncer } from './world/pgbouncer.mjs';
import { hasProgram } from './world/programs.mjs';
import { RedisCluster } from './world/redis/cluster.mjs';
import { SentinelRedis } from './world/redis/sentinel.mjs';
import { findRedisProgram, Redis } from './world/redis/single.mjs';
import { describeMissingForPatroni, PatroniStore } from './world/replicated/patroni.mjs';
import { StoreWithReplica } from './world/replicated/replica.mjs';

const READ_MAX_AGE_MS = 2_000;

/**
 * The servers that provide the store and the queue of a run.
 * @typedef {object} World
 * @property {() => string | null} describeMissing returns which programs this machine lacks, or null
 * @property {string[]} [backends] possible queue backends; default: PostgreSQL and Redis
 * @property {(folder: string, options: {smallDisk: boolean, connections: number}) => any} [store] default: a PostgreSQL behind
 *   a proxy
 * @property {number} [maxAgeMs] how stale the console's lists may be if they are read from a replica
 * @property {boolean} [canBeSecured] whether connections to Redis can be encrypted and limited by an access control list
 * @property {string[]} [excludedParts] parts whose general faults are impossible in this world
 * @property {(context: {folder: string, store: any, backend: string, isSecured: boolean, openPart: (part: any) => Promise<any>}) => Promise<{settings: Record<string, string>, redis: any, bouncer?: any}>} open
 *   starts the servers, and returns the settings for the processes
 */

/** @type {Record<string, World>} */
export const WORLDS = {
  plain: {
    describeMissing: () => null,
    open: async (context) => {
      const redis = await openRedis(context);
      return { redis, settings: { DATABASE_URL: context.store.proxy.url, ...(redis && { REDIS_URL: redis.url }) } };
    },
  },
  pgbouncer: {
    describeMissing: () => (hasProgram('pgbouncer') ? null : 'pgbouncer is not installed (apt-get install pgbouncer).'),
    open: async (context) => {
      const direct = context.store.proxy.url;
      const bouncer = await context.openPart(new PgBouncer(context.folder, direct));
      const redis = await openRedis(context);
      const settings = { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: direct };
      return { bouncer, redis, settings: { ...settings, ...(redis && { REDIS_URL: redis.url }) } };
    },
  },
  patroni: {
    describeMissing: describeMissingForPatroni,
    // General faults of the store need a single server behind a proxy.
    excludedParts: ['store'],
    store: (folder) => new PatroniStore(folder),
    open: async (context) => {
      const redis = await openRedis(context);
      return { redis, settings: { DATABASE_URL: context.store.url, ...(redis && { REDIS_URL: redis.url }) } };
    },
  },
  replica: {
    describeMissing: () => null,
    maxAgeMs: READ_MAX_AGE_MS,
    store: (folder, options) => new StoreWithReplica(folder, options),
    open: async (context) => {
      const redis = await openRedis(context);
      const reads = { DATABASE_READ_URL: context.store.replicaUrl, DATABASE_READ_MAX_AGE_MS: String(READ_MAX_AGE_MS) };
      return {
        redis,
        settings: { DATABASE_URL: context.store.proxy.url, ...reads, ...(redis && { REDIS_URL: redis.url }) },
      };
    },
  },
  sentinel: severalRedisServers(SentinelRedis),
  cluster: severalRedisServers(RedisCluster),
};

const describeMissingRedis = () =>
  findRedisProgram() ? null : 'redis-server is not installed (apt-get install redis-server).';

/** Creates a world in which faults of a single Redis server are impossible. */
function severalRedisServers(RedisClass) {
  return {
    describeMissing: () => describeMissingRedis(),
    backends: ['redis'],
    excludedParts: ['redis'],
    canBeSecured: true,
    open: async ({ folder, store, isSecured, openPart }) => {
      const redis = await openPart(new RedisClass(folder, { isSecured }));
      return { redis, settings: { DATABASE_URL: store.proxy.url, ...redis.settings } };
    },
  };
}

async function openRedis({ folder, backend, openPart }) {
  return backend === 'redis' ? await openPart(new Redis(folder)) : null;
}
