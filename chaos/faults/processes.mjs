import { setTimeout as pause } from 'node:timers/promises';

/** Clocks may differ by at most five minutes, because the time in a webhook's signature is valid for five minutes. */
const CLOCK_OFFSET_MS = 90_000;

/** @type {import('../faults.mjs').Faults} */
export const processFaults = {
  'kill-one': {
    part: 'processes',
    mayDouble: true,
    run: async ({ fleet, random }) => void (await fleet.restart(random.pick(fleet.members()), 'SIGKILL')),
  },
  'kill-workers': {
    part: 'processes',
    mayDouble: true,
    run: async ({ fleet }) =>
      void (await Promise.all(fleet.members('worker').map((member) => fleet.restart(member, 'SIGKILL')))),
  },
  'kill-all': {
    part: 'processes',
    mayDouble: true,
    run: async ({ fleet }) =>
      void (await Promise.all(fleet.members().map((member) => fleet.restart(member, 'SIGKILL')))),
  },
  'rolling-restart': {
    part: 'processes',
    run: async ({ fleet, findings }) => {
      await restartInOrder(fleet.members(), findings, (member) => fleet.restart(member, 'SIGTERM'));
    },
  },
  'workers-away': {
    part: 'processes',
    run: async ({ fleet }) => {
      for (const worker of fleet.members('worker')) await fleet.stop(worker);
      await pause(4_000);
      for (const worker of fleet.members('worker')) await fleet.start(worker);
    },
  },
  'worker-stands': {
    part: 'processes',
    // The process is paused for longer than the carrier's timeout, but not as long as a lease.
    mayDouble: true,
    run: async ({ fleet, random }) => {
      const { child } = random.pick(fleet.members('worker'));
      child.kill('SIGSTOP');
      await pause(6_000);
      child.kill('SIGCONT');
    },
  },
  'clocks-differ': {
    part: 'processes',
    run: async ({ fleet, findings }) => {
      const setClocks = (clocks) =>
        restartInOrder(fleet.members(), findings, (member, index) => fleet.setClock(member, clocks[index]));
      await setClocks([CLOCK_OFFSET_MS, -CLOCK_OFFSET_MS, -CLOCK_OFFSET_MS, CLOCK_OFFSET_MS]);
      await pause(5_000);
      await setClocks([0, 0, 0, 0]);
    },
  },
};

/** Restarts the processes one after another, and checks that every process exits with 0 after SIGTERM. */
async function restartInOrder(members, findings, restart) {
  for (const [index, member] of members.entries()) {
    const code = await restart(member, index);
    if (code !== 0) findings.push(`ended: ${member.name} exited with ${code} after SIGTERM`);
  }
}
