import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const scripts = ['scripts', 'bench', 'chaos'].flatMap((folder) =>
  readdirSync(join(PROJECT_FOLDER, folder))
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => `${folder}/${name}`),
);
/** The only commands in chaos/, to which all other files in that folder belong. */
const COMMANDS = ['chaos/run.mjs', 'chaos/pair.mjs'];
const commands = scripts.filter((path) => !path.startsWith('chaos/') || COMMANDS.includes(path));

async function runNode(...args: string[]) {
  const child = spawn(process.execPath, args, { cwd: PROJECT_FOLDER, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

describe('each script', () => {
  it.each(commands)('%s --help prints usage and purpose and does nothing else', async (path) => {
    const lines = readFileSync(join(PROJECT_FOLDER, path), 'utf8').split('\n');
    const head = lines
      .slice(
        0,
        lines.findIndex((line) => !line.startsWith('//')),
      )
      .map((line) => line.slice(3));
    expect(head.slice(0, 2).join('\n')).toMatch(/^(npm|node|ROWS=\d+ npm) /);
    expect(head.indexOf('')).toBeGreaterThan(0);
    expect(await runNode(path, '--help')).toEqual({ code: 0, stdout: `${head.join('\n')}\n`, stderr: '' });
  });

  it.each(commands)('%s rejects an unknown option and prints its usage', async (path) => {
    const { code, stdout, stderr } = await runNode(path, '--no-such-option');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/'--no-such-option'[\s\S]*\nUsage: .*(npm|node) /);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
