import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel } from '../../support/channels.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';
import { waitFor } from '../../support/wait-for.js';

const ROWS = 40_000;
let store: TestStore;
let folder: string;

beforeAll(async () => {
  store = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'heliograph-import-'));
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function startImport(file: string, channelId: string): { child: ChildProcess; output(): string } {
  const args = [
    '--json',
    'contacts',
    'import',
    file,
    '--channel',
    channelId,
    '--group',
    'Imported',
    '--country',
    'international',
  ];
  const child = spawn(process.execPath, [join(PROJECT_FOLDER, 'dist', 'cli', 'main.js'), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: store.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, output: () => output };
}

describe('a killed import of contacts', () => {
  it('a killed import resumes without losing, duplicating or reporting rows twice', { timeout: 600_000 }, async () => {
    const { channelId } = await createTestChannel(store);
    const file = join(folder, 'people.csv');
    const csvLines = ['phone,name'];
    for (let index = 0; index < ROWS; index += 1) {
      const phone = index % 100 === 50 ? 'none' : String(15005600000 + (index % 100 === 75 ? index - 1 : index));
      csvLines.push(`${phone},Person ${index}`);
    }
    await writeFile(file, csvLines.join('\n'));

    const countDoneRows = async () => (await store.prisma.contactImport.findFirst({ where: { channelId } }))?.rows ?? 0;
    for (const minimumRow of [1, ROWS / 4, ROWS / 2]) {
      const { child, output } = startImport(file, channelId);
      const exit = once(child, 'exit');
      await waitFor(
        `the import to pass row ${minimumRow}`,
        async () => {
          if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output()}`);
          return (await countDoneRows()) >= minimumRow;
        },
        { intervalMs: 2 },
      );
      child.kill('SIGKILL');
      expect(await exit).toEqual([null, 'SIGKILL']);
      expect(await countDoneRows()).toBeLessThan(ROWS);
    }

    const { child, output } = startImport(file, channelId);
    // Waits for `close` instead of `exit`, because output may still arrive after `exit`.
    expect(await once(child, 'close')).toEqual([2, null]);
    const result = JSON.parse(output().replace(/^Store: .*\n/, ''));
    expect(result).toMatchObject({
      ...{ rows: ROWS, created: ROWS * 0.98, updated: 0, present: 0, repeated: ROWS / 100, refused: ROWS / 100 },
      refusedPath: `${file}.refused.csv`,
    });
    expect(result.resumedAfter).toBeGreaterThanOrEqual(ROWS / 2);

    const refusedLines = (await readFile(`${file}.refused.csv`, 'utf8')).trimEnd().split('\r\n');
    expect(refusedLines.shift()).toBe('\uFEFFrow,reason,phone,name');
    const expected = Array.from({ length: ROWS / 100 }, (_, index) => [index * 100 + 52, index * 100 + 77]).flat();
    expect(refusedLines.map((line) => Number(line.split(',', 1)))).toEqual(expected);

    expect(await store.prisma.contact.count({ where: { channelId } })).toBe(ROWS * 0.98);
    const channel = await store.prisma.channel.findUniqueOrThrow({
      where: { id: channelId },
      include: { groups: true },
    });
    expect(channel.contactCount).toBe(ROWS * 0.98);
    expect(channel.groups).toMatchObject([{ name: 'Imported', contactCount: ROWS * 0.98 }]);
    expect(await store.prisma.groupMember.count({ where: { groupId: channel.groups[0]?.id } })).toBe(ROWS * 0.98);
    expect(await store.prisma.contactImport.count()).toBe(0);
  });
});
