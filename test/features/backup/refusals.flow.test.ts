import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../cli/run.js';
import { createTestDatabase } from '../../support/store/databases.js';

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('a store can only be moved to a PostgreSQL URL and into an empty store', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const move = (to: string) => run({ DATABASE_URL: url, DATA_DIR: createTemporaryFolder() }, 'move', '--to', to);
  const rule =
    '--to must be a URL that begins with postgres:// or postgresql://; target_session_attrs, if present, must be read-write, primary or any; percent-encode';
  for (const invalidUrl of ['', 'shop', url.replace(/^\w+:/, 'mysql:')]) {
    expect(await move(invalidUrl)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(rule) });
  }
  const target = await createTestDatabase();
  onTestFinished(target.drop);
  expect((await run({ DATABASE_URL: target.url }, 'account', 'create', 'Other')).code).toBe(0);
  const { code, stderr } = await move(target.url);
  expect(code).toBe(1);
  expect(stderr).toContain('The store is not empty: its table accounts has rows. Use an empty database.');
});

it('an error names the backup that cannot be written, and the reason', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const folder = createTemporaryFolder();
  // The file system accepts a file name of 250 bytes but not one of 268 bytes.
  const path = join(folder, 'a'.repeat(250));
  const { code, stderr } = await run({ DATABASE_URL: url, DATA_DIR: folder }, 'backup', path);
  expect(code).toBe(1);
  expect(stderr).toContain(`Cannot write ${path}: ENAMETOOLONG`);
  expect(readdirSync(folder)).toEqual([]);
});

it('an error says who may use an embedded store whose password cannot be read', async () => {
  const dataDir = createTemporaryFolder();
  mkdirSync(join(dataDir, 'postgres'));
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n');
  mkdirSync(join(dataDir, 'postgres-password'));
  const refusal = await run({ DATA_DIR: dataDir }, 'backup', join(dataDir, 'file'));
  expect(refusal.code).toBe(1);
  expect(refusal.stderr).toContain('Run the command as the user who started the server');
});
