import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { pino } from 'pino';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { buildProgram, runCli } from '../../src/cli/program.js';
import { applyMigrations } from '../../src/platform/store/migrations/migrate.js';
import { describeStoreUrl } from '../../src/platform/store/redact-url.js';
import { loadConfig } from '../../src/process/settings/config.js';

import { createTestDatabase } from '../support/store/databases.js';
import { commandsOnTestStore, run, runJson } from './run.js';

const commands = commandsOnTestStore();
const folder = mkdtempSync(join(tmpdir(), 'heliograph-which-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('--env-file is read like a systemd EnvironmentFile, overrides the environment, and the command names its store', async () => {
  const file = join(folder, 'heliograph.env');
  // A shell would end the command at the `&` in the URL, and the command would open another store.
  const url = new URL(commands.store.url);
  for (const name of ['keepalives', 'fallback_application_name']) url.searchParams.set(name, '1');
  expect(url.href).toContain('&');
  writeFileSync(file, `# settings\nDATABASE_URL=${url}\n`);
  const env = { DATABASE_URL: 'postgresql://nobody:hidden@127.0.0.1:1/elsewhere', DATA_DIR: join(folder, 'none') };
  let [stdout, errorOutput] = ['', ''];
  const code = await runCli(['--json', '--env-file', file, 'account', 'create', 'By file'], {
    env,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      errorOutput += text;
    },
    showStore: (sentence) => {
      errorOutput += sentence;
    },
  });
  expect({ code, errorOutput }).toEqual({
    code: 0,
    errorOutput: `Store: PostgreSQL at ${describeStoreUrl(url.href)} (DATABASE_URL)`,
  });
  const { id } = JSON.parse(stdout) as { id: string };
  expect(await commands.store.prisma.account.findUnique({ where: { id } })).toMatchObject({ name: 'By file' });
  const missing = await run(env, 'account', 'list', '--env-file', join(folder, 'no-such'));
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('--env-file: cannot read') });
});

it('commands reject a moved store and name the new one, until it is reclaimed', async () => {
  const [from, to] = [await createTestDatabase({}), await createTestDatabase({ empty: true })];
  onTestFinished(async () => {
    await from.drop();
    await to.drop();
  });
  const env = { DATABASE_URL: from.url, DATA_DIR: join(folder, 'data') };
  const result = await run(env, 'move', '--to', to.url);
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('It is marked as moved') });
  const newLocation = describeStoreUrl(to.url);
  const password = new URL(to.url).password;
  for (const args of [
    ['account', 'create', 'Lost'],
    ['backup', join(folder, 'x.tar.gz')],
    ['migrate'],
    ['move', '--to', to.url],
  ]) {
    const refused = await run(env, ...args);
    expect(refused, args.join(' ')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`was moved to ${newLocation} on`),
    });
    if (password) expect(refused.stderr).not.toContain(password);
  }
  await expect(applyMigrations({ url: from.url, log: pino({ level: 'silent' }) })).rejects.toThrow(
    `was moved to ${newLocation} on`,
  );
  const { findings } = JSON.parse((await run(env, 'doctor', '--json')).stdout) as { findings: { check: string }[] };
  expect(findings).toContainEqual(expect.objectContaining({ check: 'store.moved', severity: 'error' }));

  expect(await run(env, 'store', 'reclaim')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Nothing was changed'),
  });
  expect(await runJson(env, 'store', 'reclaim', '--yes')).toMatchObject({ reclaimed: true, to: newLocation });
  expect(await run(env, 'account', 'list')).toMatchObject({ code: 0 });
  const lines = await runJson<{ action: string }[]>(env, 'audit', 'list');
  expect(lines[0]).toMatchObject({ action: 'store.reclaim', subject: newLocation });
  expect(await run({ ...env, DATABASE_URL: to.url }, 'account', 'list')).toMatchObject({ code: 0 });
});

/**
 * These URLs are invalid, because their passwords contain unencoded special characters. An error message must not show any part
 * of a password.
 */
const BROKEN_URLS = [
  'postgresql://helio:se/cr3t@db.invalid/heliograph',
  'postgresql://helio:12/cr3t@db.invalid/heliograph',
  'postgresql://helio:se#cr3t@db.invalid/heliograph',
  'postgresql://helio:12#cr3t@db.invalid/heliograph',
  'postgresql://helio:12?cr3t@db.invalid/heliograph',
  'postgresql://helio:s@e/cr3t@db.invalid/heliograph',
  'postgresql://helio:s@e#cr3t@db.invalid/heliograph',
  'postgresql://helio:cr3t%zz@db.invalid/heliograph',
  'postgresql://helio:cr3t%e9@db.invalid/heliograph',
  'postgresql://helio:cr3t [x@db.invalid/heliograph',
  'postgres:/helio:cr3t@db.invalid/heliograph',
  'helio:cr3t@db.invalid/heliograph',
];

interface CommandCall {
  path: string[];
  args: string[];
}

function listCalls(command: Command, path: readonly string[] = []): CommandCall[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((subcommand) => listCalls(subcommand, [...path, subcommand.name()]));
  const values = command.registeredArguments
    .filter(({ required }) => required)
    .map(({ argChoices }) => argChoices?.[0] ?? '1');
  const options = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap((option) => [option.long as string, option.argChoices?.[0] ?? '1']);
  return [{ path: [...path], args: [...values, ...options] }];
}

const calls = listCalls(buildProgram({ write: () => undefined, writeError: () => undefined })).filter(
  ({ path }) => path[0] !== 'serve',
);

it.each(BROKEN_URLS)('commands show no part of a password, and explain how to encode it: %s', async (url) => {
  const texts: string[] = [];
  for (const setting of ['DATABASE_URL', 'REDIS_URL'] as const) {
    const broken = setting === 'REDIS_URL' ? url.replace(/^postgres(ql)?/, 'redis') : url;
    const env = { [setting]: broken, DATA_DIR: join(folder, 'none') };
    expect(() => loadConfig(env), setting).toThrow(/percent-encode/);
    try {
      loadConfig(env);
    } catch (error) {
      texts.push(String(error));
    }
    const doctor = await run(env, 'doctor');
    expect(doctor, setting).toMatchObject({ code: 1, stdout: expect.stringContaining('percent-encode') });
    texts.push(doctor.stdout, doctor.stderr);
  }
  const moveResult = await run({ DATA_DIR: join(folder, 'none') }, 'move', '--to', url);
  expect(moveResult).toMatchObject({ code: 1, stderr: expect.stringContaining('percent-encode') });
  const typedResults = [await run({}, url), await run({}, 'move', url), await run({}, 'account', 'list', url)];
  texts.push(...[moveResult, ...typedResults].flatMap(({ stdout, stderr }) => [stdout, stderr]));
  let rejected = 0;
  for (const { path, args } of calls) {
    const { stdout, stderr } = await run({ DATABASE_URL: url, DATA_DIR: join(folder, 'none') }, ...path, ...args);
    texts.push(stdout, stderr);
    if (stderr.includes('percent-encode')) rejected += 1;
  }
  expect(rejected).toBeGreaterThan(20);
  expect(texts.filter((text) => /cr3t|12\/|12#|db\.invalid/.test(text))).toEqual([]);
});
