import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killedAtExit } from '../../chaos/world/at-exit.mjs';
import { freePort } from '../../dist/platform/machine/free-port.js';
import { processorSeconds, secondsOfEach } from './processor.mjs';

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** Those of `npm start`; every server gets them, so that none has an advantage. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];
/** Of every server that is not told otherwise. */
const SETTINGS = { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'warn', SEED_DEMO: 'false' };

/**
 * Starts a server under test as a process of its own, and resolves once it answers.
 * @param {string} script path from the project's folder
 * @param {Record<string, string>} settings beside those of every server
 * @param {{ cores?: string, node?: string }} [machine] the cores that it may run on, as taskset takes them, and the path of its
 *   Node.js
 */
export async function startServer(script, settings, { cores, node = process.execPath } = {}) {
  const port = await freePort();
  const command = [...(cores ? ['taskset', '-c', cores] : []), node, ...NODE_OPTIONS, script];
  const child = spawn(command[0], command.slice(1), {
    cwd: PROJECT_FOLDER,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...SETTINGS, ...settings, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  killedAtExit(child);
  const baseUrl = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${script} ended with exit code ${child.exitCode}`);
    const status = await fetch(`${baseUrl}/health/ready`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) break;
    await pause(25);
  }
  return {
    baseUrl,
    /** Seconds of the processors that it has taken; null where that is not told. */
    processorSeconds: () => processorSeconds(child.pid),
    /** The same by process, where there are several. */
    secondsOfEach: () => secondsOfEach(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
