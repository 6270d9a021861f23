import { setTimeout as pause } from 'node:timers/promises';
import { defaultBehaviour } from '../world/smsc.mjs';

/** @type {import('../faults.mjs').Faults} */
export const otherFaults = {
  'carriers-lose-answers': disturbCarriers({ loses: 0.05 }),
  'carriers-double-receipts': disturbCarriers({ doubles: 0.5 }),
  'carriers-contradict': disturbCarriers({ contradicts: 0.3 }),
  'carriers-are-late': disturbCarriers({ delayMs: 2_000 }),
  'carriers-throttle': disturbCarriers({ throttles: 0.2 }),
  'carriers-away': {
    part: 'carriers',
    // Requests in progress lose their responses when the binds are closed.
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

function disturbCarriers(changes) {
  return {
    part: 'carriers',
    run: async ({ smsc, meta }) => {
      for (const carrier of [smsc, meta]) carrier.behaviour = { ...defaultBehaviour(), ...changes };
      await pause(5_000);
      for (const carrier of [smsc, meta]) carrier.behaviour = defaultBehaviour();
    },
  };
}
