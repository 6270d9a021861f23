import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type TestApp, testSettings } from '../test-app.js';

const SCRIPT = fileURLToPath(new URL('dying-worker.mjs', import.meta.url));
const DEADLINE_MS = 60_000;

/**
 * Starts a worker, which kills itself with SIGKILL at a fault point.
 * @param times the hit of the fault point at which it dies
 * @param settings environment variables
 * @throws Error if it ends otherwise or does not reach the point
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
  }, DEADLINE_MS);
  const [code, signal] = await once(child, 'exit');
  clearTimeout(timer);
  if (isLate || signal !== 'SIGKILL') {
    throw new Error(
      `the worker ${isLate ? 'never reached' : `ended with ${code ?? signal} before`} ${point}:\n${Buffer.concat(output)}`,
    );
  }
}

/** Expires the leases of a dead worker and advances the relay's next checks, which would take half a minute. */
export async function expireLeases({ deps }: TestApp): Promise<void> {
  await deps.pool.query(`UPDATE messages SET next_look = now() - interval '1 second',
                           lease_until = CASE WHEN lease_until IS NOT NULL THEN now() - interval '1 second' END
                         WHERE status IN ('queued', 'sending')`);
  await deps.pool.query("UPDATE campaigns SET next_look = now() - interval '1 second' WHERE next_look IS NOT NULL");
  await deps.pool.query('UPDATE automation_runs SET lease_until = NULL');
}
