import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { atExit } from '../../chaos/world/at-exit.mjs';

/**
 * Starts an SMSC of benchmarks in a process of its own.
 * @param {'smsc' | 'lean-smsc'} [name] which of bench/servers
 */
export async function startSmsc(name = 'smsc') {
  const script = fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.once(
    'exit',
    atExit(() => child.kill('SIGKILL')),
  );
  const lines = createInterface({ input: child.stdout });
  const line = async () => (await once(lines, 'line'))[0];
  const port = Number(await line());
  return {
    port,
    /** What it has seen since the last call. */
    async seen() {
      const answer = line();
      child.stdin.write('\n');
      return JSON.parse(await answer);
    },
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
