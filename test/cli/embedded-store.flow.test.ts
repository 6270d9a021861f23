import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedPostgres } from '../../src/platform/embedded/embedded-postgres.js';
import { findRunningUrl } from '../../src/platform/embedded/running-url.js';
import { openFolder } from '../support/open-folder.js';
import { queryRows } from '../support/processes/embedded-folders.js';
import { createTestDatabase } from '../support/store/databases.js';
import { run, runJson } from './run.js';

let dataDir: string;
let env: NodeJS.ProcessEnv;
let file: string;

beforeAll(async () => {
  dataDir = openFolder('heliograph-cli-');
  env = { DATA_DIR: dataDir };
  file = join(dataDir, 'backup.tar.gz');
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const listNames = async () =>
  (await runJson<{ name: string }[]>(env, 'account', 'list')).map((account) => account.name);

it('a command in the wrong folder fails and does not create an embedded store', async () => {
  for (const args of [['account', 'list'], ['migrate'], ['backup', join(dataDir, 'file')], ['store', 'url']]) {
    const { code, stderr } = await run(env, ...args);
    expect(code, args.join(' ')).toBe(1);
    expect(stderr).toContain(`There is no Heliograph data in ${dataDir} (DATA_DIR).`);
  }
  expect(readdirSync(dataDir)).toEqual([]);
});

it('a command starts an embedded store that is not running, and stops it afterwards', async () => {
  await (await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) })).close();
  await runJson(env, 'account', 'create', 'Alone');
  expect(await findRunningUrl(dataDir)).toBeNull();
  expect(await listNames()).toEqual(['Alone']);
  await runJson(env, 'backup', file);
  expect(await findRunningUrl(dataDir)).toBeNull();
});

it('a command uses the embedded store of a running server', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
  try {
    expect(await findRunningUrl(dataDir)).toBe(postgres.url);
    await runJson(env, 'account', 'create', 'Beside');
    expect(await listNames()).toEqual(['Alone', 'Beside']);
    expect(await findRunningUrl(dataDir)).toBe(postgres.url);
    const { url } = await runJson<{ url: string }>(env, 'store', 'url');
    expect(await queryRows(url, 'SELECT name FROM accounts ORDER BY name')).toEqual([
      { name: 'Alone' },
      { name: 'Beside' },
    ]);
    for (const args of [
      ['restore', '--replace', file],
      ['move', '--to', url],
    ]) {
      expect((await run(env, ...args)).stderr).toContain('already running');
    }
  } finally {
    await postgres.close();
  }
  expect(await findRunningUrl(dataDir)).toBeNull();
  expect((await run(env, 'store', 'url')).stderr).toContain('start the server first');
});

it('restore creates an embedded store from a backup, and names the secrets it needs', async () => {
  const otherSettings = { DATA_DIR: join(dataDir, 'other') };
  const { stdout } = await run(otherSettings, 'restore', file);
  expect(stdout).toContain(
    'Before the start, set VERIFICATION_SECRET and KEPT_REPORTS_SECRET to the old values. An embedded store has them in its ' +
      `DATA_DIR, in verifications-key and kept-reports-key; you can also copy them to ${otherSettings.DATA_DIR}.`,
  );
  expect(await runJson(otherSettings, 'account', 'list')).toMatchObject([{ name: 'Alone' }]);
});

it('move names the secrets of an embedded store that the new one needs', async () => {
  const { url, drop } = await createTestDatabase({ empty: true });
  onTestFinished(drop);
  const oldDataDir = join(dataDir, 'other');
  const key = join(oldDataDir, 'verifications-key');
  writeFileSync(key, 'a secret');
  const { stdout } = await run({ DATA_DIR: oldDataDir }, 'move', '--to', url);
  expect(stdout).toContain(`Set VERIFICATION_SECRET to the content of ${key}: encrypted data needs the same secrets`);
  expect(stdout).not.toContain('KEPT_REPORTS_SECRET');
});
