import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ProgressBar } from '../../../src/cli/progress.js';
import {
  type ImportOptions,
  type ImportProgress,
  importContacts,
} from '../../../src/features/contacts/import/import.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { createTestChannel } from '../../support/channels.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';

let store: TestStore;
let folder: string;

beforeAll(async () => {
  store = await openTestStore();
  folder = mkdtempSync(join(tmpdir(), 'heliograph-import-progress-'));
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('a resumed import counts its own rows separately from earlier ones', async () => {
  const { account, channelId } = await createTestChannel(store);
  const path = join(folder, 'people.csv');
  await writeFile(path, ['phone', ...Array.from({ length: 2_500 }, (_, index) => 15005560000 + index)].join('\n'));
  const options: ImportOptions = {
    ...{ pool: store.pool, clock: systemClock, path, accountId: account.id, channelId, groupId: null },
    kind: 'whatsapp',
    ...{ update: false, delimiter: ',', encoding: 'utf-8', country: 'international', restart: false },
  };
  const interrupt = () => {
    throw new Error('interrupted');
  };
  await expect(importContacts({ ...options, onProgress: interrupt })).rejects.toThrow('interrupted');
  const reports: Omit<ImportProgress, 'bytesRead'>[] = [];
  const onProgress = ({ rows, rowsOfRun }: ImportProgress) => reports.push({ rows, rowsOfRun });
  expect(await importContacts({ ...options, onProgress })).toMatchObject({ rows: 2_500, resumedAfter: 1_000 });
  expect(reports).toEqual([
    { rows: 2_000, rowsOfRun: 1_000 },
    { rows: 2_500, rowsOfRun: 1_500 },
  ]);
});

it('the progress bar computes the speed from rows since its start', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  let output = '';
  const writeError = (text: string) => {
    output += text;
  };
  const bar = new ProgressBar({ env: {}, write: () => undefined, writeError, isTerminal: true }, 100);
  now.mockReturnValue(3_000);
  bar.show(50, 9_000, 4_000);
  expect(output).toContain('  9,000 rows  2,000/s');
});
