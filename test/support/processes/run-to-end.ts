import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PROJECT_FOLDER } from './server-process.js';

export async function runToEnd(
  settings: Readonly<Record<string, string>>,
  whileRunning?: (child: ChildProcess, output: () => string) => unknown,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(PROJECT_FOLDER, 'dist', 'main.js')], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  try {
    const [[code]] = await Promise.all([once(child, 'close'), whileRunning?.(child, () => output)]);
    return { code, output };
  } finally {
    child.kill('SIGKILL');
  }
}
