// A worker process that kills itself with SIGKILL at the n-th hit of a fault point (arguments: the point and n).

import { loadConfig } from '../../../dist/process/settings/config.js';
import { openDeps } from '../../../dist/process/startup/open-deps.js';

const [point, times] = process.argv.slice(2);
let remaining = Number(times);
const faults = {
  hit(name) {
    if (name !== point) return;
    remaining -= 1;
    if (remaining === 0) process.kill(process.pid, 'SIGKILL');
    // The promise never resolves, because the signal may take a moment to arrive.
    if (remaining <= 0) return new Promise(() => {});
  },
};
await openDeps(loadConfig(process.env), { faults });
