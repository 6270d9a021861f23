import { setTimeout as pause } from 'node:timers/promises';

const BOUNCER_FAULT = { part: 'store', worlds: ['pgbouncer'], mayDouble: true };
const PATRONI_FAULT = { part: 'store', worlds: ['patroni'], mayDouble: true };

/** @type {import('../faults.mjs').Faults} */
export const storeFaults = {
  'store-terminates': {
    part: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      for (let round = 0; round < 12; round += 1) {
        await store.terminateAll();
        await pause(350);
      }
    },
  },
  'store-restarts': { part: 'store', mayDouble: true, run: ({ store }) => store.end('SIGINT') },
  'store-dies': { part: 'store', mayDouble: true, run: ({ store }) => store.end('SIGQUIT') },
  'commit-cut': {
    part: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      store.proxy.cutResponses(60);
      await pause(3_000);
      store.proxy.cutResponses(0);
    },
  },
  'store-frozen': {
    part: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      store.proxy.freeze();
      await pause(5_000);
      store.proxy.thaw();
    },
  },
  'store-away': {
    part: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      await store.proxy.refuse();
      await pause(4_000);
      await store.proxy.accept();
    },
  },
  'store-ends-at-connect': {
    part: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      store.proxy.endAtConnect(true);
      for (let round = 0; round < 8; round += 1) {
        store.proxy.cut();
        await pause(350);
      }
      store.proxy.endAtConnect(false);
    },
  },
  'store-full': {
    part: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      store.fill();
      await pause(4_000);
      store.makeRoom();
      await store.query('SELECT 1');
    },
  },
  'store-reads-only': {
    part: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      await store.setReadOnly(true);
      await pause(4_000);
      await store.setReadOnly(false);
    },
  },
  'bouncer-killed': {
    ...BOUNCER_FAULT,
    run: async ({ bouncer }) => {
      for (let round = 0; round < 4; round += 1) {
        await bouncer.end('SIGKILL');
        await bouncer.start();
        await pause(1_000);
      }
    },
  },
  'bouncer-restarts': {
    ...BOUNCER_FAULT,
    run: async ({ bouncer }) => {
      await bouncer.end('SIGINT');
      await bouncer.start();
    },
  },
  'bouncer-away': {
    ...BOUNCER_FAULT,
    run: async ({ bouncer }) => {
      await bouncer.end('SIGKILL');
      await pause(6_000);
      await bouncer.start();
    },
  },
  'bouncer-stands': {
    ...BOUNCER_FAULT,
    run: async ({ bouncer }) => {
      bouncer.signal('SIGSTOP');
      await pause(5_000);
      bouncer.signal('SIGCONT');
    },
  },
  'primary-dies': {
    ...PATRONI_FAULT,
    run: async ({ store }) => {
      await store.bringBack(await store.loseMachine());
    },
  },
  'primary-switches': {
    ...PATRONI_FAULT,
    run: ({ store }) => store.switchOver(),
  },
  'primary-stands': {
    ...PATRONI_FAULT,
    // The pause is longer than Patroni waits before it replaces the primary.
    run: ({ store }) => store.pausePrimary(20_000),
  },
  'old-primary-returns': {
    ...PATRONI_FAULT,
    run: async ({ store, findings }) => {
      const lost = await store.loseMachine();
      const connected = await store.returnWithoutPatroni(lost, 4_000);
      if (connected > 0) findings.push(`fenced: ${connected} connections of processes reached the old primary`);
      await store.bringBack(lost);
    },
  },
};
