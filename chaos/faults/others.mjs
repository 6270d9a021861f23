import { setTimeout as pause } from 'node:timers/promises';
import { defaultBehaviour } from '../world/smsc.mjs';

/** @type {import('../faults.mjs').Faults} */
export const otherFaults = {
  'carriers-lose-answers': carrierFault({ loses: 0.05 }),
  'carriers-double-receipts': carrierFault({ doubles: 0.5 }),
  'carriers-contradict': carrierFault({ contradicts: 0.3 }),
  'carriers-are-late': carrierFault({ delayMs: 2_000 }),
  'carriers-throttle': carrierFault({ throttles: 0.2 }),
  'carriers-away': {
    part: 'carriers',
    // Submits in progress lose their responses when the carriers close their connections.
    mayDouble: true,
    run: async ({ smsc, meta }) => {
      for (const carrier of [smsc, meta]) carrier.behaviour = { ...defaultBehaviour(), away: true };
      smsc.cut();
      meta.cut();
      await pause(4_000);
      for (const carrier of [smsc, meta]) carrier.behaviour = defaultBehaviour();
    },
  },
  'webhooks-fail': {
    part: 'webhooks',
    run: async ({ sink }) => {
      sink.failureRate = 0.5;
      await pause(3_000);
      sink.failureRate = 0;
    },
  },
  deadlines: {
    part: 'senders',
    run: async ({ client }) => {
      const { timeoutMs } = client;
      client.timeoutMs = 15;
      await pause(3_000);
      client.timeoutMs = timeoutMs;
    },
  },
};

function carrierFault(changes) {
  return {
    part: 'carriers',
    run: async ({ smsc, meta }) => {
      for (const carrier of [smsc, meta]) carrier.behaviour = { ...defaultBehaviour(), ...changes };
      await pause(5_000);
      for (const carrier of [smsc, meta]) carrier.behaviour = defaultBehaviour();
    },
  };
}
