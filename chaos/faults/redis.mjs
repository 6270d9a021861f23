import { setTimeout as pause } from 'node:timers/promises';

/** @type {import('../faults.mjs').Faults} */
export const redisFaults = {
  'redis-fails-over': {
    part: 'redis-of-several',
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
    part: 'redis-of-several',
    worlds: ['sentinel', 'cluster'],
    run: ({ redis }) => redis.switchOver(),
  },
  'redis-primary-stands': {
    part: 'redis-of-several',
    worlds: ['sentinel', 'cluster'],
    run: async ({ redis }) => {
      const resume = await redis.pausePrimary();
      await pause(8_000);
      resume();
      await redis.waitUntilSettled();
    },
  },
  'sentinel-stands': {
    part: 'redis-of-several',
    worlds: ['sentinel'],
    run: async ({ redis }) => {
      const resume = redis.pauseSentinel();
      const lost = await redis.failOver();
      await pause(4_000);
      resume();
      await redis.bringBack(lost);
    },
  },
  'shard-is-lost': {
    part: 'redis-of-several',
    worlds: ['cluster'],
    run: ({ redis }) => redis.loseShard(() => pause(6_000)),
  },
  'redis-forgets-all': {
    part: 'redis-of-several',
    worlds: ['sentinel', 'cluster'],
    run: ({ redis }) => redis.call('FLUSHALL'),
  },
  'redis-flushed': { part: 'redis', run: ({ redis }) => redis.call('FLUSHALL') },
  'redis-killed': {
    part: 'redis',
    run: async ({ redis }) => {
      await redis.kill();
      await redis.start();
    },
  },
  'redis-wiped': {
    part: 'redis',
    run: async ({ redis }) => {
      await redis.kill();
      redis.wipe();
      await redis.start();
    },
  },
  'redis-away': {
    part: 'redis',
    run: async ({ redis }) => {
      await redis.kill();
      await pause(6_000);
      await redis.start();
    },
  },
  'redis-full': {
    part: 'redis',
    run: async ({ redis }) => {
      await redis.call('CONFIG', 'SET', 'maxmemory', '1');
      await pause(4_000);
      await redis.call('CONFIG', 'SET', 'maxmemory', '0');
    },
  },
  'redis-stands': {
    part: 'redis',
    run: async ({ redis }) => {
      redis.signal('SIGSTOP');
      await pause(4_000);
      redis.signal('SIGCONT');
    },
  },
};
