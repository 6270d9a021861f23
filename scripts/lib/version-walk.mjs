import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './debian-postgres.mjs';

const PATIENCE_MS = 120_000;

/** @throws Error that names what it waited for */
async function waitFor(what, probe) {
  const deadline = performance.now() + PATIENCE_MS;
  let cause;
  while (performance.now() < deadline) {
    try {
      if (await probe()) return;
    } catch (error) {
      cause = error;
    }
    await pause(100);
  }
  throw new Error(`Waited in vain for ${what}`, { cause });
}

/**
 * The first two days of a new user, on a copy of the repository after `npm ci`.
 * @param {{ copy: string, dataDir: string, env: NodeJS.ProcessEnv, npm: string[], databaseUrl?: string }} where
 * @throws Error that says which step failed
 */
export async function walk({ copy, dataDir, env: base, npm, databaseUrl }) {
  const port = String(await freePort());
  const env = { ...base, DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'warn' };
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
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return await response.json();
    };
    const balance = async () => (await call('/v1.0/account/balance')).balance;
    const sendAndFollow = async () => {
      const sms = { from: 'Heliograph', to: '14155550123', message: 'Hello from Heliograph' };
      const { message_id: id } = await call('/v1.0/sms/send', sms);
      await waitFor(
        'a message to be delivered',
        async () => (await call(`/v1.0/sms/status/${id}`)).status === 'delivered',
      );
    };
    const before = await balance();
    await sendAndFollow();
    await stop('SIGKILL');
    running = await start();
    await sendAndFollow();
    const paid = Math.round((before - (await balance())) * 100);
    if (paid !== 2) throw new Error(`Two messages and a kill cost ${paid} cents`);
    heliograph('doctor');
    const file = join(dataDir, 'backup.tar.gz');
    heliograph('backup', file);
    if (statSync(file).size === 0) throw new Error('The backup is empty');
    const code = await stop('SIGTERM');
    if (code !== 0) throw new Error(`npm start ended with the exit code ${code} after SIGTERM`);
  } finally {
    await stop('SIGKILL');
  }

  async function start() {
    // A process group, so that a kill also reaches the server behind npm.
    const child = spawn(npm[0], [...npm.slice(1), 'start'], {
      cwd: copy,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = { child, said: '', ended: once(child, 'exit').then(([code]) => code) };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        started.said += text;
      });
    }
    const isUp = async () => child.exitCode !== null || (await fetch(`${baseUrl}/health/ready`)).ok;
    await waitFor('the server to be ready', isUp).catch((error) => {
      throw new Error(`${error.message}; it said:\n${started.said}`);
    });
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${started.said}`);
    return started;
  }

  async function stop(signal) {
    const { child, ended } = running;
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, signal);
    return await ended;
  }

  function heliograph(...args) {
    const done = spawnSync(npm[0], [...npm.slice(1), 'exec', '--', 'heliograph', ...args], {
      cwd: copy,
      env,
      encoding: 'utf8',
    });
    if (done.status !== 0)
      throw new Error(`heliograph ${args[0]} ended with ${done.status}: ${done.stdout}${done.stderr}`);
  }
}
