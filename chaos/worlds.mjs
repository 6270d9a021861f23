import { PgBouncer } from './world/pgbouncer.mjs';
import { hasProgram } from './world/programs.mjs';
import { ClusteredRedis } from './world/redis/cluster.mjs';
import { WatchedRedis } from './world/redis/sentinel.mjs';
import { Redis, redisProgram } from './world/redis/single.mjs';
import { missingForPatroni, PatroniStore } from './world/replicated/patroni.mjs';
import { StoreWithReplica } from './world/replicated/replica.mjs';

const READ_MAX_AGE_MS = 2_000;

/**
 * Where the store and the queue of a run are, by name.
 * @typedef {object} World
 * @property {() => string | null} missing describes what this machine lacks for it
 * @property {string[]} [backends] possible queue backends; default: PostgreSQL and Redis
 * @property {(folder: string, options: {smallDisk: boolean, connections: number}) => any} [store] default: a PostgreSQL behind a proxy
 * @property {number} [maxAgeMs] how stale the console's lists may be if they are read from a replica
 * @property {boolean} [canBeSecured] whether its Redis can be encrypted, with an access control list
 * @property {string[]} [without] parts whose faults are impossible here
 * @property {(here: {folder: string, store: any, backend: string, isSecured: boolean, opened: (part: any) => Promise<any>}) => Promise<{settings: Record<string, string>, redis: any, bouncer?: any}>} open
 *   starts its parts, and returns the settings for the processes
 */

/** @type {Record<string, World>} */
export const WORLDS = {
  plain: {
    missing: () => null,
    open: async (here) => {
      const redis = await openRedis(here);
      return { redis, settings: { DATABASE_URL: here.store.proxy.url, ...(redis && { REDIS_URL: redis.url }) } };
    },
  },
  pgbouncer: {
    missing: () =>
      hasProgram('pgbouncer') ? null : 'there is no pgbouncer on this machine (apt-get install pgbouncer).',
    open: async (here) => {
      const direct = here.store.proxy.url;
      const bouncer = await here.opened(new PgBouncer(here.folder, direct));
      const redis = await openRedis(here);
      const settings = { DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: direct };
      return { bouncer, redis, settings: { ...settings, ...(redis && { REDIS_URL: redis.url }) } };
    },
  },
  patroni: {
    missing: missingForPatroni,
    // Their faults need a single server behind a proxy.
    without: ['store'],
    store: (folder) => new PatroniStore(folder),
    open: async (here) => {
      const redis = await openRedis(here);
      return { redis, settings: { DATABASE_URL: here.store.url, ...(redis && { REDIS_URL: redis.url }) } };
    },
  },
  replica: {
    missing: () => null,
    maxAgeMs: READ_MAX_AGE_MS,
    store: (folder, options) => new StoreWithReplica(folder, options),
    open: async (here) => {
      const redis = await openRedis(here);
      const reads = { DATABASE_READ_URL: here.store.replicaUrl, DATABASE_READ_MAX_AGE_MS: String(READ_MAX_AGE_MS) };
      return {
        redis,
        settings: { DATABASE_URL: here.store.proxy.url, ...reads, ...(redis && { REDIS_URL: redis.url }) },
      };
    },
  },
  sentinel: severalServers(WatchedRedis),
  cluster: severalServers(ClusteredRedis),
};

const noRedis = () =>
  redisProgram() ? null : 'there is no redis-server on this machine (apt-get install redis-server).';

/** Faults of a single server are impossible with several Redis servers. */
function severalServers(Kind) {
  return {
    missing: () => noRedis(),
    backends: ['redis'],
    without: ['redis'],
    canBeSecured: true,
    open: async ({ folder, store, isSecured, opened }) => {
      const redis = await opened(new Kind(folder, { isSecured }));
      return { redis, settings: { DATABASE_URL: store.proxy.url, ...redis.settings } };
    },
  };
}

async function openRedis({ folder, backend, opened }) {
  return backend === 'redis' ? await opened(new Redis(folder)) : null;
}
