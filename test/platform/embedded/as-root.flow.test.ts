import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmbeddedPostgres } from '../../../src/platform/embedded/embedded-postgres.js';
import { findOrphans, removeOrphans } from '../../../src/platform/embedded/ownership/orphans.js';
import { run } from '../../../src/platform/embedded/server/run.js';
import {
  ask,
  dataFolder,
  pidOf,
  removeFolder,
  startEmbedded,
  startOwner,
} from '../../support/processes/embedded-folders.js';

// Each test starts PostgreSQL once or several times, beside servers that start.
vi.setConfig({ testTimeout: 120_000 });

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

describe.runIf(isRoot)('as root', () => {
  it('keeps the data elsewhere when the user of PostgreSQL cannot enter DATA_DIR, and changes no mode', async () => {
    const home = mkdtempSync(join(tmpdir(), 'heliograph-home-'));
    const dataDir = join(home, 'data');
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const lines: string[] = [];
    const spoken = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const places: string[] = [];
    for (const round of ['first', 'second', 'after DATA_DIR was deleted']) {
      if (round === 'after DATA_DIR was deleted') rmSync(dataDir, { recursive: true });
      const postgres = await startEmbeddedPostgres({ dataDir, log: spoken });
      const place = readFileSync(join(dataDir, 'postgres-folder'), 'utf8').trim();
      onTestFinished(() => removeFolder(place, place));
      places.push(place);
      await ask(postgres.url, `CREATE TABLE "${round}" AS SELECT 1`);
      const tables = await ask(postgres.url, "SELECT relname FROM pg_class WHERE relname = 'first'");
      expect(tables).toHaveLength(round === 'after DATA_DIR was deleted' ? 0 : 1);
      await postgres.close();
    }
    expect(places[1]).toBe(places[0]);
    expect(places[2]).not.toBe(places[0]);
    expect(lines.filter((line) => line.includes(places[0] as string) && line.includes(dataDir))).toHaveLength(1);
    const orphans = (await findOrphans()).map(({ folder, dataDir: of, pid }) => ({ folder, of, pid }));
    expect(orphans).toContainEqual({ folder: places[0], of: dataDir, pid: null });
    expect(orphans.map(({ folder }) => folder)).not.toContain(places[2]);
    await expect(removeOrphans([places[0] as string, places[2] as string])).rejects.toThrow('is no orphaned cluster');
    expect(existsSync(places[0] as string)).toBe(true);
    expect(await removeOrphans([places[0] as string])).toMatchObject([{ folder: places[0] }]);
    expect(existsSync(places[0] as string)).toBe(false);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it('runs PostgreSQL as another user, who owns the data', async () => {
    const dataDir = dataFolder();
    await startEmbedded(dataDir);
    expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0);
    expect(statSync(`/proc/${pidOf(dataDir)}`).uid).toBe(statSync(join(dataDir, 'postgres')).uid);
  });

  it('goes on with the data of an ordinary user as that user', async ({ skip }) => {
    const parent = mkdtempSync(join(tmpdir(), 'heliograph-user-'));
    chmodSync(parent, 0o755);
    const dataDir = join(parent, 'data');
    mkdirSync(dataDir);
    chownSync(dataDir, NOBODY, NOBODY);
    onTestFinished(() => removeFolder(parent, join(dataDir, 'postgres')));
    const user = { name: 'nobody', uid: NOBODY, gid: NOBODY };
    const reach = await run(process.execPath, ['--eval', `process.chdir(${JSON.stringify(process.cwd())})`], user);
    skip(reach.code !== 0, 'an ordinary user cannot enter this checkout');
    const owner = await startOwner(dataDir, { uid: NOBODY, gid: NOBODY });
    expect(owner.answer.error).toBeUndefined();
    await owner.kill('SIGTERM');
    await startEmbedded(dataDir);
    expect(statSync(join(dataDir, 'postgres')).uid).toBe(NOBODY);
    expect(statSync(`/proc/${pidOf(dataDir)}`).uid).toBe(NOBODY);
  });
});
