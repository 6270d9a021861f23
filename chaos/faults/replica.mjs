import { setTimeout as pause } from 'node:timers/promises';

/** Longer than a list may be old, by which the primary is read meanwhile. */
const LONG_MS = 5_000;
const OF_REPLICA = { what: 'replica', worlds: ['replica'] };

/** @type {import('../faults.mjs').Faults} */
export const ofReplica = {
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
      // What it had applied when it was killed is not all that it shows when it is back.
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
