import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StartError } from '../../src/platform/errors/start-error.js';
import { fillDataFolder } from '../../src/platform/machine/data-folder.js';

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('fillDataFolder creates missing folders, even concurrently, and returns the result of the callback', async () => {
  const folder = join(createTemporaryFolder(), 'a', 'b');
  const fill = async () => statSync(folder).isDirectory();
  expect(await Promise.all([fillDataFolder(folder, fill), fillDataFolder(folder, fill)])).toEqual([true, true]);
});

it('fillDataFolder explains that a file system is read-only or full', async () => {
  const folder = createTemporaryFolder();
  for (const [code, words] of [
    ['EROFS', 'file system is read-only'],
    ['ENOSPC', 'the disk is full'],
  ]) {
    const fail = () => Promise.reject(Object.assign(new Error('raw'), { code }));
    const failure = await fillDataFolder(folder, fail).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartError);
    expect((failure as Error).message).toMatch(new RegExp(`^Cannot use DATA_DIR .*: .*${words}`));
    // The error for a full disk must not suggest another DATA_DIR, because the store there would be empty.
    expect((failure as Error).message.includes('Set DATA_DIR')).toBe(code !== 'ENOSPC');
  }
});

it('fillDataFolder keeps a file in its place and passes on other errors', async () => {
  const file = join(createTemporaryFolder(), 'file');
  writeFileSync(file, 'mine');
  await expect(fillDataFolder(file, async () => undefined)).rejects.toThrow('not a folder');
  expect(existsSync(file)).toBe(true);
  const otherError = new Error('other');
  await expect(fillDataFolder(createTemporaryFolder(), () => Promise.reject(otherError))).rejects.toBe(otherError);
});
