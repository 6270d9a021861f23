import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestStore, type TestStore } from '../support/open-test-store.js';
import { findFreePort } from '../support/processes/free-port.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { waitFor } from '../support/wait-for.js';

let store: TestStore;
const environment = () => ({ PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: store.url });

beforeAll(async () => {
  store = await openTestStore();
});

afterAll(() => store.close());

const STORE_LINE = /^Store: PostgreSQL at \S+ \(DATABASE_URL\)\n$/;

describe('the built heliograph command', () => {
  const runHeliograph = (...args: string[]) =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = execFile(
        process.execPath,
        [join(PROJECT_FOLDER, 'dist', 'cli', 'main.js'), ...args],
        { env: environment() },
        (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    });

  it('prints only its result and exits', async () => {
    const result = await runHeliograph('account', 'create', 'Process', '--json');
    expect(result).toMatchObject({ code: 0, stderr: expect.stringMatching(STORE_LINE) });
    expect(JSON.parse(result.stdout)).toMatchObject({ name: 'Process', currency: 'USD' });
  });

  it('exits with 1 and prints the error to standard error', async () => {
    expect(await runHeliograph('app', 'revoke', 'x')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Store: .*\nthere is no app x\n$/),
    });
  });

  /** Runs a script in a shell, which prints the exit code even if the command's output is redirected. */
  const runInShell = (script: string) =>
    new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const command = `"${process.execPath}" "${join(PROJECT_FOLDER, 'dist', 'cli', 'main.js')}"`;
      execFile(
        'bash',
        ['-c', script.replace('heliograph', command)],
        { env: environment() },
        (_error, stdout, stderr) => resolve({ stdout, stderr }),
      );
    });

  it.runIf(existsSync('/dev/full'))('exits with 1 when its result cannot be written', async () => {
    const { stdout, stderr } = await runInShell('{ heliograph account list > /dev/full; echo "status $?"; }');
    expect(stdout).toBe('status 1\n');
    expect(stderr).toMatch(/^Store: .*\nCould not write to standard output: ENOSPC.* The output is incomplete, .*\n$/);
    expect(await runInShell('heliograph account list > /dev/full 2> /dev/full; echo "status $?"')).toEqual({
      stdout: 'status 1\n',
      stderr: '',
    });
  });

  it('exits silently with the code of SIGPIPE when the reader closes the pipe', async () => {
    const { stdout, stderr } = await runInShell(
      'heliograph account list | true; set -- "$PIPESTATUS"; echo "status $1"',
    );
    expect(stdout).toBe('status 141\n');
    expect(stderr).toMatch(STORE_LINE);
  });

  it('serve runs until it receives a signal', async () => {
    const port = await findFreePort();
    const child = spawn(process.execPath, [join(PROJECT_FOLDER, 'dist', 'cli', 'main.js'), 'serve'], {
      env: { ...environment(), PORT: String(port) },
      stdio: 'ignore',
    });
    const exit = once(child, 'exit');
    try {
      await waitFor(
        'the server to be ready, or to end',
        async () => child.exitCode !== null || (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200,
      );
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exit).toEqual([0, null]);
  });
});
