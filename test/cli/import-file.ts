import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { openForEachTest } from '../support/for-suite.js';
import type { TestCommands } from './run.js';

export interface ImportFile {
  channel: TestChannel;
  folder: string;
  /** Path of the CSV file, which the test must write. */
  file: string;
}

export function importFileForEachTest(commands: TestCommands): ImportFile {
  return openForEachTest(async () => {
    const channel = await createTestChannel(commands.store);
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-import-'));
    const close = async () => rmSync(folder, { recursive: true, force: true });
    return { channel, folder, file: join(folder, 'people.csv'), close };
  });
}
