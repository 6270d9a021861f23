import { mkdtempSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../../src/platform/embedded/embedded-postgres.js';
import { urlOfRunning } from '../../src/platform/embedded/running.js';
import { runJson } from './run.js';

let dataDir: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'heliograph-cli-'));
  // As root, PostgreSQL runs as another user, who must be able to reach its data.
  await chmod(dataDir, 0o755);
  env = { DATA_DIR: dataDir };
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const names = async () => (await runJson<{ name: string }[]>(env, 'account', 'list')).map((account) => account.name);

it('is started for a command when it does not run, and stopped after it', async () => {
  await runJson(env, 'account', 'create', 'Alone');
  expect(await urlOfRunning(dataDir)).toBeNull();
  expect(await names()).toEqual(['Alone']);
});

it('is shared with the server that runs it', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
  try {
    expect(await urlOfRunning(dataDir)).toBe(postgres.url);
    await runJson(env, 'account', 'create', 'Beside');
    expect(await names()).toEqual(['Alone', 'Beside']);
    expect(await urlOfRunning(dataDir)).toBe(postgres.url);
  } finally {
    await postgres.close();
  }
  expect(await urlOfRunning(dataDir)).toBeNull();
});
