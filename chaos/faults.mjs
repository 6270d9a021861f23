import { setTimeout as pause } from 'node:timers/promises';
import { calm } from './world/smsc.mjs';

/** Machines that nobody keeps in time. Webhooks, whose signatures tell the time, are believed within five minutes. */
const CLOCK_OFF_MS = 90_000;

/**
 * Faults by name. `run` makes one and takes it away again. `mayDouble` says that an answer of a carrier can be lost by it, so
 * that a message may be sent once more; whatever is doubled without such a fault, or a carrier that lost its own answer, is a
 * finding. `what` fails: no two faults of the same are made at once. Those of `redis` need the queue there, those with `worlds`
 * one of them (see worlds.mjs).
 * @type {Record<string, {what: string, worlds?: string[], mayDouble?: boolean, run: (world: any) => Promise<void>}>}
 */
export const FAULTS = {
  'kill-one': {
    what: 'processes',
    mayDouble: true,
    run: async ({ fleet, choices }) => void (await fleet.restart(choices.pick(fleet.members()), 'SIGKILL')),
  },
  'kill-workers': {
    what: 'processes',
    mayDouble: true,
    run: async ({ fleet }) =>
      void (await Promise.all(fleet.members('worker').map((each) => fleet.restart(each, 'SIGKILL')))),
  },
  'kill-all': {
    what: 'processes',
    mayDouble: true,
    run: async ({ fleet }) => void (await Promise.all(fleet.members().map((each) => fleet.restart(each, 'SIGKILL')))),
  },
  'rolling-restart': {
    what: 'processes',
    run: async ({ fleet, findings }) => {
      await inOrder(fleet.members(), findings, (member) => fleet.restart(member, 'SIGTERM'));
    },
  },
  'workers-away': {
    what: 'processes',
    run: async ({ fleet }) => {
      for (const worker of fleet.members('worker')) await fleet.stop(worker);
      await pause(4_000);
      for (const worker of fleet.members('worker')) await fleet.start(worker);
    },
  },
  'worker-stands': {
    what: 'processes',
    // Longer than the carrier's patience, shorter than a lease.
    mayDouble: true,
    run: async ({ fleet, choices }) => {
      const { child } = choices.pick(fleet.members('worker'));
      child.kill('SIGSTOP');
      await pause(6_000);
      child.kill('SIGCONT');
    },
  },
  'clocks-differ': {
    what: 'processes',
    run: async ({ fleet, findings }) => {
      const set = (clocks) =>
        inOrder(fleet.members(), findings, (member, index) => fleet.setClock(member, clocks[index]));
      await set([CLOCK_OFF_MS, -CLOCK_OFF_MS, -CLOCK_OFF_MS, CLOCK_OFF_MS]);
      await pause(5_000);
      await set([0, 0, 0, 0]);
    },
  },
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
    what: 'store',
    worlds: ['pgbouncer'],
    mayDouble: true,
    run: async ({ bouncer }) => {
      for (let round = 0; round < 4; round += 1) {
        await bouncer.end('SIGKILL');
        await bouncer.start();
        await pause(1_000);
      }
    },
  },
  'bouncer-restarts': {
    what: 'store',
    worlds: ['pgbouncer'],
    mayDouble: true,
    run: async ({ bouncer }) => {
      await bouncer.end('SIGINT');
      await bouncer.start();
    },
  },
  'bouncer-away': {
    what: 'store',
    worlds: ['pgbouncer'],
    mayDouble: true,
    run: async ({ bouncer }) => {
      await bouncer.end('SIGKILL');
      await pause(6_000);
      await bouncer.start();
    },
  },
  'bouncer-stands': {
    what: 'store',
    worlds: ['pgbouncer'],
    mayDouble: true,
    run: async ({ bouncer }) => {
      bouncer.signal('SIGSTOP');
      await pause(5_000);
      bouncer.signal('SIGCONT');
    },
  },
  'primary-dies': {
    what: 'store',
    worlds: ['patroni'],
    mayDouble: true,
    run: async ({ store }) => {
      await store.bringBack(await store.loseMachine());
    },
  },
  'primary-switches': {
    what: 'store',
    worlds: ['patroni'],
    mayDouble: true,
    run: ({ store }) => store.switchOver(),
  },
  'primary-stands': {
    what: 'store',
    worlds: ['patroni'],
    mayDouble: true,
    // Longer than Patroni waits for it.
    run: ({ store }) => store.standStill(20_000),
  },
  'old-primary-returns': {
    what: 'store',
    worlds: ['patroni'],
    mayDouble: true,
    run: async ({ store, findings }) => {
      const lost = await store.loseMachine();
      const connected = await store.returnWithoutPatroni(lost, 4_000);
      if (connected > 0) findings.push(`fenced: ${connected} connections of processes led to the primary of before`);
      await store.bringBack(lost);
    },
  },
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
  'carriers-lose-answers': carriers({ loses: 0.05 }),
  'carriers-double-receipts': carriers({ doubles: 0.5 }),
  'carriers-contradict': carriers({ contradicts: 0.3 }),
  'carriers-are-late': carriers({ delayMs: 2_000 }),
  'carriers-throttle': carriers({ throttles: 0.2 }),
  'carriers-away': {
    what: 'carriers',
    // What was under way when the binds ended has no answer.
    mayDouble: true,
    run: async ({ smsc, meta }) => {
      for (const carrier of [smsc, meta]) carrier.behaviour = { ...calm(), away: true };
      smsc.cut();
      meta.cut();
      await pause(4_000);
      for (const carrier of [smsc, meta]) carrier.behaviour = calm();
    },
  },
  'webhooks-fail': {
    what: 'webhooks',
    run: async ({ sink }) => {
      sink.fails = 0.5;
      await pause(3_000);
      sink.fails = 0;
    },
  },
  deadlines: {
    what: 'senders',
    run: async ({ client }) => {
      const { timeoutMs } = client;
      client.timeoutMs = 15;
      await pause(3_000);
      client.timeoutMs = timeoutMs;
    },
  },
};

/** Ends processes by SIGTERM and starts them anew, one after the other. Each must end in order. */
async function inOrder(members, findings, restart) {
  for (const [index, member] of members.entries()) {
    const code = await restart(member, index);
    if (code !== 0) findings.push(`ended: ${member.name} ended with exit code ${code} upon SIGTERM`);
  }
}

function carriers(trouble) {
  return {
    what: 'carriers',
    run: async ({ smsc, meta }) => {
      for (const carrier of [smsc, meta]) carrier.behaviour = { ...calm(), ...trouble };
      await pause(5_000);
      for (const carrier of [smsc, meta]) carrier.behaviour = calm();
    },
  };
}
