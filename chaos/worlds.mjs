import { PgBouncer } from './world/pgbouncer.mjs';
import { hasProgram } from './world/programs.mjs';
import { ClusteredRedis } from './world/redis/cluster.mjs';
import { WatchedRedis } from './world/redis/sentinel.mjs';
import { Redis, redisProgram } from './world/redis/single.mjs';
import { missingForPatroni, PatroniStore } from './world/replicated/patroni.mjs';
import { StoreWithReplica } from './world/replicated/replica.mjs';

const READ_MAX_AGE_MS = 2_000;

/**
 * Where store and queue of a run lie, by name.
 * @typedef {object} World
 * @property {() => string | null} missing what this machine lacks for it, in a sentence
 * @property {string[]} [backends] where the queue may lie; in PostgreSQL and in Redis unless told
 * @property {(folder: string, options: {smallDisk: boolean, connections: number}) => any} [store] the store; a PostgreSQL of its own behind a proxy unless told
 * @property {number} [maxAgeMs] how old the console's lists may be, which are read from a replica; else they are of the moment
 * @property {boolean} [canBeSecured] whether its Redis may be encrypted, with users of an access control list
 * @property {string[]} [without] what faults of others cannot be made of
 * @property {(here: {folder: string, store: any, backend: string, isSecured: boolean, opened: (part: any) => Promise<any>}) => Promise<{settings: Record<string, string>, redis: any, bouncer?: any}>} open
 *   its parts, and the settings by which processes find them
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
    // They are of the one server behind a proxy.
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
  sentinel: ofSeveral(WatchedRedis),
  cluster: ofSeveral(ClusteredRedis),
};

const noRedis = () =>
  redisProgram() ? null : 'there is no redis-server on this machine (apt-get install redis-server).';

/** A world with several Redis servers: faults of the one server that there otherwise is have no place in it. */
function ofSeveral(Kind) {
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
