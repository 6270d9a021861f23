import { setTimeout as pause } from 'node:timers/promises';

/** @type {import('../faults.mjs').Faults} */
export const redisFaults = {
  'redis-fails-over': {
    what: 'redis-of-several',
    worlds: ['sentinel', 'cluster'],
    run: async ({ redis }) => {
      for (let round = 0; round < 2; round += 1) {
        const lost = await redis.failOver();
        await pause(1_000);
        await redis.bringBack(lost);
      }
    },
  },
  'redis-switches-over': {
    what: 'redis-of-several',
    worlds: ['sentinel', 'cluster'],
    run: ({ redis }) => redis.switchOver(),
  },
  'redis-primary-stands': {
    what: 'redis-of-several',
    worlds: ['sentinel', 'cluster'],
    run: async ({ redis }) => {
      const goOn = await redis.primaryStands();
      await pause(8_000);
      goOn();
      await redis.settled();
    },
  },
  'sentinel-stands': {
    what: 'redis-of-several',
    worlds: ['sentinel'],
    run: async ({ redis }) => {
      const goOn = redis.sentinelStands();
      const lost = await redis.failOver();
      await pause(4_000);
      goOn();
      await redis.bringBack(lost);
    },
  },
  'shard-is-lost': {
    what: 'redis-of-several',
    worlds: ['cluster'],
    run: ({ redis }) => redis.loseShard(() => pause(6_000)),
  },
  'redis-forgets-all': {
    what: 'redis-of-several',
    worlds: ['sentinel', 'cluster'],
    run: ({ redis }) => redis.ask('FLUSHALL'),
  },
  'redis-flushed': { what: 'redis', run: ({ redis }) => redis.ask('FLUSHALL') },
  'redis-killed': {
    what: 'redis',
    run: async ({ redis }) => {
      await redis.kill();
      await redis.start();
    },
  },
  'redis-wiped': {
    what: 'redis',
    run: async ({ redis }) => {
      await redis.kill();
      redis.wipe();
      await redis.start();
    },
  },
  'redis-away': {
    what: 'redis',
    run: async ({ redis }) => {
      await redis.kill();
      await pause(6_000);
      await redis.start();
    },
  },
  'redis-full': {
    what: 'redis',
    run: async ({ redis }) => {
      await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
      await pause(4_000);
      await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    },
  },
  'redis-stands': {
    what: 'redis',
    run: async ({ redis }) => {
      redis.signal('SIGSTOP');
      await pause(4_000);
      redis.signal('SIGCONT');
    },
  },
};
