import { setTimeout as pause } from 'node:timers/promises';

/** The outage lasts longer than the maximum staleness of lists, so that the primary has to serve them. */
const OUTAGE_MS = 5_000;
const REPLICA_FAULT = { part: 'replica', worlds: ['replica'] };

/** @type {import('../faults.mjs').Faults} */
export const replicaFaults = {
  'replica-lags': {
    ...REPLICA_FAULT,
    run: async ({ store }) => {
      await store.setReplay(false);
      await pause(OUTAGE_MS);
      await store.setReplay(true);
    },
  },
  'replica-dies': {
    ...REPLICA_FAULT,
    run: async ({ store }) => {
      // After a kill, the replica shows older data than before until it has caught up with the primary.
      for (let round = 0; round < 3; round += 1) {
        await store.replica.end('SIGKILL');
        await store.bringBackReplica();
        await pause(2_000);
      }
    },
  },
  'replica-away': {
    ...REPLICA_FAULT,
    run: async ({ store }) => {
      await store.replica.end('SIGINT');
      await pause(OUTAGE_MS);
      await store.bringBackReplica();
    },
  },
  'replica-stands': {
    ...REPLICA_FAULT,
    run: async ({ store }) => {
      store.replica.signal('SIGSTOP');
      await pause(OUTAGE_MS);
      store.replica.signal('SIGCONT');
    },
  },
  'replica-is-promoted': {
    ...REPLICA_FAULT,
    run: async ({ store }) => {
      await store.replica.query('SELECT pg_promote(true, 60)');
      await pause(OUTAGE_MS);
      await store.copyFromPrimary();
    },
  },
};
