import { setTimeout as pause } from 'node:timers/promises';
import { calm } from '../world/smsc.mjs';

/** @type {import('../faults.mjs').Faults} */
export const otherFaults = {
  'carriers-lose-answers': carriers({ loses: 0.05 }),
  'carriers-double-receipts': carriers({ doubles: 0.5 }),
  'carriers-contradict': carriers({ contradicts: 0.3 }),
  'carriers-are-late': carriers({ delayMs: 2_000 }),
  'carriers-throttle': carriers({ throttles: 0.2 }),
  'carriers-away': {
    what: 'carriers',
    // Open requests lost their responses when the binds ended.
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
