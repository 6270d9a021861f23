import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../cli/run.js';
import { createTestDatabase } from '../../support/store/databases.js';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('moves to nothing but a URL of PostgreSQL, and into an empty one', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const move = (to: string) => run({ DATABASE_URL: url, DATA_DIR: temporaryFolder() }, 'move', '--to', to);
  const rule =
    '--to must be a URL that begins with postgres:// or postgresql://, with target_session_attrs=read-write, primary or any where it has one; percent-encode';
  for (const wrong of ['', 'shop', url.replace(/^\w+:/, 'mysql:')]) {
    expect(await move(wrong)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(rule) });
  }
  const other = await createTestDatabase();
  onTestFinished(other.drop);
  expect((await run({ DATABASE_URL: other.url }, 'account', 'create', 'Other')).code).toBe(0);
  const { code, stderr } = await move(other.url);
  expect(code).toBe(1);
  expect(stderr).toContain('The store is not empty: its table accounts has rows. Name an empty database.');
});

it('names the backup that cannot be written, and why', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const folder = temporaryFolder();
  // A name of 250 bytes is possible, one of 268 is not.
  const path = join(folder, 'a'.repeat(250));
  const { code, stderr } = await run({ DATABASE_URL: url, DATA_DIR: folder }, 'backup', path);
  expect(code).toBe(1);
  expect(stderr).toContain(`${path} cannot be written: ENAMETOOLONG`);
  expect(readdirSync(folder)).toEqual([]);
});

it('says who may use an embedded store whose password cannot be read', async () => {
  const dataDir = temporaryFolder();
  mkdirSync(join(dataDir, 'postgres'));
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
  mkdirSync(join(dataDir, 'postgres-password'));
  const refused = await run({ DATA_DIR: dataDir }, 'backup', join(dataDir, 'file'));
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('Run the command as the user who started the server');
});
