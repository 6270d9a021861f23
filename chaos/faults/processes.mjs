import { setTimeout as pause } from 'node:timers/promises';

/** Signatures of webhooks contain the time and are valid for five minutes, so the clock may be off by less. */
const CLOCK_OFF_MS = 90_000;

/** @type {import('../faults.mjs').Faults} */
export const processFaults = {
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
    // Longer than the carrier's timeout, shorter than a lease.
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
};

/** Each process must exit with 0 after SIGTERM. */
async function inOrder(members, findings, restart) {
  for (const [index, member] of members.entries()) {
    const code = await restart(member, index);
    if (code !== 0) findings.push(`ended: ${member.name} ended with exit code ${code} upon SIGTERM`);
  }
}
