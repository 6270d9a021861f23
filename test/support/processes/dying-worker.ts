import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type TestApp, testSettings } from '../test-app.js';

const SCRIPT = fileURLToPath(new URL('dying-worker.mjs', import.meta.url));
const DEADLINE_MS = 60_000;

/**
 * Runs a worker until it dies of SIGKILL at a fault point.
 * @param times the passing at which it dies
 * @param settings environment variables
 * @throws Error if it ends otherwise or does not reach the point
 */
export async function dieAt(
  beside: TestApp,
  point: string,
  times = 1,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [SCRIPT, point, String(times)], {
    env: {
      PATH: process.env.PATH,
      ...testSettings(beside.backend),
      DATABASE_URL: beside.databaseUrl,
      QUEUE_PREFIX: beside.queuePrefix,
      ROLE: 'worker',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk));
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, DEADLINE_MS);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  if (late || signal !== 'SIGKILL') {
    throw new Error(
      `the worker ${late ? 'never came to' : `ended with ${code ?? signal} before`} ${point}:\n${Buffer.concat(said)}`,
    );
  }
}

/** Expires the leases of a dead worker and advances the relay's next checks, which would take half a minute. */
export async function passLeases({ deps }: TestApp): Promise<void> {
  await deps.pool.query(`UPDATE messages SET next_look = now() - interval '1 second',
                           lease_until = CASE WHEN lease_until IS NOT NULL THEN now() - interval '1 second' END
                         WHERE status IN ('queued', 'sending')`);
  await deps.pool.query("UPDATE campaigns SET next_look = now() - interval '1 second' WHERE next_look IS NOT NULL");
  await deps.pool.query('UPDATE automation_runs SET lease_until = NULL');
}
