import { setTimeout as pause } from 'node:timers/promises';

const OF_BOUNCER = { what: 'store', worlds: ['pgbouncer'], mayDouble: true };
const OF_PATRONI = { what: 'store', worlds: ['patroni'], mayDouble: true };

/** @type {import('../faults.mjs').Faults} */
export const storeFaults = {
  'store-terminates': {
    what: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      for (let round = 0; round < 12; round += 1) {
        await store.terminateAll();
        await pause(350);
      }
    },
  },
  'store-restarts': { what: 'store', mayDouble: true, run: ({ store }) => store.end('SIGINT') },
  'store-dies': { what: 'store', mayDouble: true, run: ({ store }) => store.end('SIGQUIT') },
  'commit-cut': {
    what: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      store.proxy.cutAnswers(60);
      await pause(3_000);
      store.proxy.cutAnswers(0);
    },
  },
  'store-frozen': {
    what: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      store.proxy.freeze();
      await pause(5_000);
      store.proxy.thaw();
    },
  },
  'store-away': {
    what: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      await store.proxy.refuse();
      await pause(4_000);
      await store.proxy.accept();
    },
  },
  'store-ends-at-connect': {
    what: 'store',
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
    what: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      store.fill();
      await pause(4_000);
      store.makeRoom();
      await store.ask('SELECT 1');
    },
  },
  'store-reads-only': {
    what: 'store',
    mayDouble: true,
    run: async ({ store }) => {
      await store.readOnly(true);
      await pause(4_000);
      await store.readOnly(false);
    },
  },
  'bouncer-killed': {
    ...OF_BOUNCER,
    run: async ({ bouncer }) => {
      for (let round = 0; round < 4; round += 1) {
        await bouncer.end('SIGKILL');
        await bouncer.start();
        await pause(1_000);
      }
    },
  },
  'bouncer-restarts': {
    ...OF_BOUNCER,
    run: async ({ bouncer }) => {
      await bouncer.end('SIGINT');
      await bouncer.start();
    },
  },
  'bouncer-away': {
    ...OF_BOUNCER,
    run: async ({ bouncer }) => {
      await bouncer.end('SIGKILL');
      await pause(6_000);
      await bouncer.start();
    },
  },
  'bouncer-stands': {
    ...OF_BOUNCER,
    run: async ({ bouncer }) => {
      bouncer.signal('SIGSTOP');
      await pause(5_000);
      bouncer.signal('SIGCONT');
    },
  },
  'primary-dies': {
    ...OF_PATRONI,
    run: async ({ store }) => {
      await store.bringBack(await store.loseMachine());
    },
  },
  'primary-switches': {
    ...OF_PATRONI,
    run: ({ store }) => store.switchOver(),
  },
  'primary-stands': {
    ...OF_PATRONI,
    // Longer than Patroni waits for the primary.
    run: ({ store }) => store.standStill(20_000),
  },
  'old-primary-returns': {
    ...OF_PATRONI,
    run: async ({ store, findings }) => {
      const lost = await store.loseMachine();
      const connected = await store.returnWithoutPatroni(lost, 4_000);
      if (connected > 0) findings.push(`fenced: ${connected} connections of processes led to the primary of before`);
      await store.bringBack(lost);
    },
  },
};
