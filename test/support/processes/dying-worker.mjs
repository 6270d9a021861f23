// A worker process that kills itself, as `kill -9` would, when it passes a fault point for the n-th time. It runs what
// is built. Settings come from the environment, the point and the number as arguments.

import { loadConfig } from '../../../dist/process/settings/config.js';
import { openDeps } from '../../../dist/process/startup/open-deps.js';

const [point, times] = process.argv.slice(2);
let left = Number(times);
const faults = {
  hit(name) {
    if (name !== point) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
    // Nothing follows: the signal may take a moment.
    if (left <= 0) return new Promise(() => {});
  },
};
await openDeps(loadConfig(process.env), { faults });
