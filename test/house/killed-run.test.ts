import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openFolder } from '../support/open-folder.js';
import { describeOwnRedis, startRedis } from '../support/processes/redis-server.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const GUARDIAN = fileURLToPath(new URL('../support/run/guardian.mjs', import.meta.url));

/** Starts a guardian, and a child process that runs for a minute unless it is killed. */
function startRun() {
  const folder = openFolder('heliograph-killed-');
  const env = { PATH: [process.env.PATH, folder].join(delimiter) };
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { env, stdio: 'ignore' });
  const guardian = spawn(process.execPath, [GUARDIAN, folder], { stdio: ['pipe', 'inherit', 'inherit'] });
  return { folder, child, guardian, guardianExit: once(guardian, 'exit') };
}

it.runIf(process.platform === 'linux')('a killed run leaves no process and no folder behind', async () => {
  const { folder, child, guardian, guardianExit } = startRun();
  const childExit = once(child, 'exit');
  // The guardian detects a killed run only by its closed standard input.
  guardian.stdin.destroy();
  expect(await guardianExit).toEqual([0, null]);
  expect(await childExit).toEqual([null, 'SIGKILL']);
  expect(existsSync(folder)).toBe(false);
});

describeOwnRedis('a Redis server', () => {
  it.runIf(process.platform === 'linux')(
    'left by a killed run is stopped, although its environment is not readable',
    async () => {
      const run = startRun();
      const folder = join(run.folder, 'redis');
      mkdirSync(folder);
      const redis = await startRedis({ folder });
      onTestFinished(() => redis.close());
      const redisExit = once(redis.process, 'exit');
      run.guardian.stdin.destroy();
      expect(await run.guardianExit).toEqual([0, null]);
      expect(await redisExit).toEqual([null, 'SIGKILL']);
    },
  );

  it('started by a test works in the folder of the run', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.close());
    expect(dirname(redis.folder)).toBe(inject('services').runFolder);
  });
});

it('the guardian stops nothing after a run that ended normally', async () => {
  const { folder, child, guardian, guardianExit } = startRun();
  guardian.stdin.end('finished');
  expect(await guardianExit).toEqual([0, null]);
  expect(child.exitCode ?? child.signalCode).toBeNull();
  expect(existsSync(folder)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  rmSync(folder, { recursive: true });
});

it('a run with several projects sets up shared services once', () => {
  const config = readFileSync(join(PROJECT_FOLDER, 'vitest.config.ts'), 'utf8');
  expect(config.match(/global-setup/g)).toHaveLength(1);
  // Each project that extends the main Vitest configuration would run the global setup again.
  expect(config).not.toMatch(/\bextends\b.*true/);
});
