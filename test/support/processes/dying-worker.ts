import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type TestApp, testSettings } from '../test-app.js';
import { WAIT_MS } from '../wait-for.js';

const SCRIPT = fileURLToPath(new URL('dying-worker.mjs', import.meta.url));

/**
 * Runs a worker until its `times`-th hit of a fault point, at which the worker kills itself with SIGKILL.
 * @throws Error if the worker ends in another way or does not reach the fault point
 */
export async function killWorkerAt(
  heliograph: TestApp,
  point: string,
  times = 1,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child: ChildProcess = spawn(process.execPath, [SCRIPT, point, String(times)], {
    env: {
      PATH: process.env.PATH,
      ...testSettings(heliograph.backend),
      DATABASE_URL: heliograph.databaseUrl,
      QUEUE_PREFIX: heliograph.queuePrefix,
      ROLE: 'worker',
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, WAIT_MS);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  if (isLate || signal !== 'SIGKILL') {
    throw new Error(
      `the worker ${isLate ? 'never reached' : `ended with ${code ?? signal} before`} ${point}:\n${Buffer.concat(output)}`,
    );
  }
}

/** Expires a dead worker's leases and makes the relay's next checks due, which would otherwise take half a minute. */
export async function expireLeases({ deps }: TestApp): Promise<void> {
  await deps.pool.query(`UPDATE messages SET next_look = now() - interval '1 second',
                           lease_until = CASE WHEN lease_until IS NOT NULL THEN now() - interval '1 second' END
                         WHERE status IN ('queued', 'sending')`);
  await deps.pool.query("UPDATE campaigns SET next_look = now() - interval '1 second' WHERE next_look IS NOT NULL");
  await deps.pool.query('UPDATE automation_runs SET lease_until = NULL');
}
