import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '../../chaos/world/at-exit.mjs';
import { freePort } from '../../dist/platform/machine/free-port.js';
import { readProcessorSeconds, readProcessTimes } from './processor.mjs';

const PROJECT_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

/** All servers run with the same Node.js options as `npm start`, so that no server has an advantage. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];
const SETTINGS = { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'warn', SEED_DEMO: 'false' };

/**
 * Starts a server as a separate process, and resolves when the server is ready. `cores` is a list of processor cores for
 * taskset, and `node` is the path of the Node.js program to use.
 * @param {string} script path relative to the project's folder
 * @param {Record<string, string>} settings settings that override `SETTINGS`
 * @param {{ cores?: string, node?: string }} [machine]
 */
export async function startServer(script, settings, { cores, node = process.execPath } = {}) {
  const port = await freePort();
  const command = [...(cores ? ['taskset', '-c', cores] : []), node, ...NODE_OPTIONS, script];
  const child = spawn(command[0], command.slice(1), {
    cwd: PROJECT_FOLDER,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...SETTINGS, ...settings, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exit = once(child, 'exit');
  killAtExit(child);
  const baseUrl = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${script} exited with ${child.exitCode}`);
    const status = await fetch(`${baseUrl}/health/ready`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) break;
    await pause(25);
  }
  return {
    baseUrl,
    readProcessorSeconds: () => readProcessorSeconds(child.pid),
    readProcessTimes: () => readProcessTimes(child.pid),
    async stop() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}
