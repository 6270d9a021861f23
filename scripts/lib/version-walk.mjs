import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from './debian-postgres.mjs';

const TIMEOUT_MS = 120_000;

/**
 * Waits for the probe to succeed, and names the goal in the error after the timeout.
 * @param {string} goal
 */
async function waitFor(goal, probe) {
  const deadline = performance.now() + TIMEOUT_MS;
  let cause;
  while (performance.now() < deadline) {
    try {
      if (await probe()) return;
    } catch (error) {
      cause = error;
    }
    await pause(100);
  }
  throw new Error(`Timed out waiting for ${goal}`, { cause });
}

/**
 * Uses the server like a new user, who starts it, sends messages, kills and restarts it, and makes a backup.
 * @param {{ copy: string, dataDir: string, env: NodeJS.ProcessEnv, npm: string[], databaseUrl?: string }} options `copy`: a
 *   copy of the repository after `npm ci`
 */
export async function tryAsNewUser({ copy, dataDir, env: baseEnv, npm, databaseUrl }) {
  const port = String(await findFreePort());
  const env = { ...baseEnv, DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'warn' };
  if (databaseUrl) Object.assign(env, { DATABASE_URL: databaseUrl, SEED_DEMO: 'true' });
  const baseUrl = `http://127.0.0.1:${port}`;
  let running = await start();
  try {
    const key = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')).surfaceA.apiKey;
    const call = async (path, body) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const response = await fetch(baseUrl + path, {
        method: body ? 'POST' : 'GET',
        headers,
        body: body && JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
      return await response.json();
    };
    const readBalance = async () => (await call('/v1.0/account/balance')).balance;
    const sendAndWait = async () => {
      const sms = { from: 'Heliograph', to: '14155550123', message: 'Hello from Heliograph' };
      const { message_id: id } = await call('/v1.0/sms/send', sms);
      await waitFor(
        'a message to be delivered',
        async () => (await call(`/v1.0/sms/status/${id}`)).status === 'delivered',
      );
    };
    const balanceBefore = await readBalance();
    await sendAndWait();
    await stop('SIGKILL');
    running = await start();
    await sendAndWait();
    const cents = Math.round((balanceBefore - (await readBalance())) * 100);
    if (cents !== 2) throw new Error(`Two messages cost ${cents} cents instead of 2`);
    runHeliograph('doctor');
    const file = join(dataDir, 'backup.tar.gz');
    runHeliograph('backup', file);
    if (statSync(file).size === 0) throw new Error('The backup is empty');
    const code = await stop('SIGTERM');
    if (code !== 0) throw new Error(`npm start exited with ${code} after SIGTERM`);
  } finally {
    await stop('SIGKILL');
  }

  async function start() {
    // npm gets its own process group, so that a kill also reaches the server that npm has started.
    const child = spawn(npm[0], [...npm.slice(1), 'start'], {
      cwd: copy,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = { child, output: '', exit: once(child, 'exit').then(([code]) => code) };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        started.output += text;
      });
    }
    const isUp = async () => child.exitCode !== null || (await fetch(`${baseUrl}/health/ready`)).ok;
    await waitFor('the server to be ready', isUp).catch((error) => {
      throw new Error(`${error.message}; its output:\n${started.output}`);
    });
    if (child.exitCode !== null) throw new Error(`npm start exited with ${child.exitCode}:\n${started.output}`);
    return started;
  }

  async function stop(signal) {
    const { child, exit } = running;
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
    return await exit;
  }

  function runHeliograph(...args) {
    const result = spawnSync(npm[0], [...npm.slice(1), 'exec', '--', 'heliograph', ...args], {
      cwd: copy,
      env,
      encoding: 'utf8',
    });
    if (result.status !== 0)
      throw new Error(`heliograph ${args[0]} exited with ${result.status}: ${result.stdout}${result.stderr}`);
  }
}
