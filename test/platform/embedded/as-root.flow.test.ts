import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { findOrphans, removeOrphans } from '../../../src/platform/embedded/ownership/orphans.js';
import { run } from '../../../src/platform/embedded/run.js';
import {
  createDataFolder,
  queryRows,
  removeFolder,
  requirePostmasterPid,
  startEmbedded,
  startOwner,
} from '../../support/processes/embedded-folders.js';

// Each test starts PostgreSQL at least once, while other tests may be starting servers too.
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

describe.runIf(isRoot)('the embedded PostgreSQL, as root', () => {
  it('stores its data outside a DATA_DIR that its user cannot enter, and changes no permissions', async () => {
    const home = mkdtempSync(join(tmpdir(), 'heliograph-home-'));
    const dataDir = join(home, 'data');
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const folders: string[] = [];
    for (const round of ['first', 'second', 'after DATA_DIR was deleted']) {
      if (round === 'after DATA_DIR was deleted') rmSync(dataDir, { recursive: true });
      const postgres = await startEmbeddedPostgres({ dataDir, log });
      const folder = readFileSync(join(dataDir, 'postgres-folder'), 'utf8').trim();
      onTestFinished(() => removeFolder(folder, folder));
      folders.push(folder);
      await queryRows(postgres.url, `CREATE TABLE "${round}" AS SELECT 1`);
      const tables = await queryRows(postgres.url, "SELECT relname FROM pg_class WHERE relname = 'first'");
      expect(tables).toHaveLength(round === 'after DATA_DIR was deleted' ? 0 : 1);
      await postgres.close();
    }
    expect(folders[1]).toBe(folders[0]);
    expect(folders[2]).not.toBe(folders[0]);
    expect(lines.filter((line) => line.includes(folders[0] as string) && line.includes(dataDir))).toHaveLength(1);
    const orphans = (await findOrphans()).map(({ folder, dataDir, pid }) => ({ folder, dataDir, pid }));
    expect(orphans).toContainEqual({ folder: folders[0], dataDir, pid: null });
    expect(orphans.map(({ folder }) => folder)).not.toContain(folders[2]);
    await expect(removeOrphans([folders[0] as string, folders[2] as string])).rejects.toThrow(
      'is not an orphaned cluster',
    );
    expect(existsSync(folders[0] as string)).toBe(true);
    expect(await removeOrphans([folders[0] as string])).toMatchObject([{ folder: folders[0] }]);
    expect(existsSync(folders[0] as string)).toBe(false);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it('runs as another user, who owns the data', async () => {
    const dataDir = createDataFolder();
    await startEmbedded(dataDir);
    expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0);
    expect(statSync(`/proc/${requirePostmasterPid(dataDir)}`).uid).toBe(statSync(join(dataDir, 'postgres')).uid);
  });

  it('keeps running as the ordinary user who owns existing data', async ({ skip }) => {
    const parent = mkdtempSync(join(tmpdir(), 'heliograph-user-'));
    chmodSync(parent, 0o755);
    const dataDir = join(parent, 'data');
    mkdirSync(dataDir);
    chownSync(dataDir, NOBODY, NOBODY);
    onTestFinished(() => removeFolder(parent, join(dataDir, 'postgres')));
    const user = { name: 'nobody', uid: NOBODY, gid: NOBODY };
    const accessCheck = await run(
      process.execPath,
      ['--eval', `process.chdir(${JSON.stringify(process.cwd())})`],
      user,
    );
    skip(accessCheck.code !== 0, 'an ordinary user cannot enter this checkout');
    const owner = await startOwner(dataDir, { uid: NOBODY, gid: NOBODY });
    expect(owner.answer.error).toBeUndefined();
    await owner.kill('SIGTERM');
    await startEmbedded(dataDir);
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(NOBODY);
    expect(statSync(`/proc/${requirePostmasterPid(dataDir)}`).uid).toBe(NOBODY);
  });
});
