import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StartError } from '../../src/platform/errors/start-error.js';
import { inDataFolder } from '../../src/platform/machine/data-folder.js';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('makes the folders that are missing, also when two processes do so at once, and hands on what is made of them', async () => {
  const folder = join(temporaryFolder(), 'a', 'b');
  const fill = async () => statSync(folder).isDirectory();
  expect(await Promise.all([inDataFolder(folder, fill), inDataFolder(folder, fill)])).toEqual([true, true]);
});

it('says in words that a file system is read-only or full', async () => {
  const folder = temporaryFolder();
  for (const [code, words] of [
    ['EROFS', 'read-only file system'],
    ['ENOSPC', 'the disk is full'],
  ]) {
    const fail = () => Promise.reject(Object.assign(new Error('raw'), { code }));
    const failure = await inDataFolder(folder, fail).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartError);
    expect((failure as Error).message).toMatch(new RegExp(`^DATA_DIR .* cannot be used: .*${words}`));
    // Another folder would be another, empty store.
    expect((failure as Error).message.includes('Set DATA_DIR')).toBe(code !== 'ENOSPC');
  }
});

it('leaves alone what is in the way, and every other failure as it is', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'mine');
  await expect(inDataFolder(file, async () => undefined)).rejects.toThrow('no folder');
  expect(existsSync(file)).toBe(true);
  const other = new Error('other');
  await expect(inDataFolder(temporaryFolder(), () => Promise.reject(other))).rejects.toBe(other);
});
