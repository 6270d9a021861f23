import { setTimeout as pause } from 'node:timers/promises';

/** Longer than lists may be stale, so that they are then read from the primary. */
const LONG_MS = 5_000;
const OF_REPLICA = { what: 'replica', worlds: ['replica'] };

/** @type {import('../faults.mjs').Faults} */
export const replicaFaults = {
  'replica-lags': {
    ...OF_REPLICA,
    run: async ({ store }) => {
      await store.replay(false);
      await pause(LONG_MS);
      await store.replay(true);
    },
  },
  'replica-dies': {
    ...OF_REPLICA,
    run: async ({ store }) => {
      // After a kill the replica shows older data than before until it has caught up.
      for (let round = 0; round < 3; round += 1) {
        await store.replica.end('SIGKILL');
        await store.bringBackReplica();
        await pause(2_000);
      }
    },
  },
  'replica-away': {
    ...OF_REPLICA,
    run: async ({ store }) => {
      await store.replica.end('SIGINT');
      await pause(LONG_MS);
      await store.bringBackReplica();
    },
  },
  'replica-stands': {
    ...OF_REPLICA,
    run: async ({ store }) => {
      store.replica.signal('SIGSTOP');
      await pause(LONG_MS);
      store.replica.signal('SIGCONT');
    },
  },
  'replica-is-promoted': {
    ...OF_REPLICA,
    run: async ({ store }) => {
      await store.replica.ask('SELECT pg_promote(true, 60)');
      await pause(LONG_MS);
      await store.copyAnew();
    },
  },
};
