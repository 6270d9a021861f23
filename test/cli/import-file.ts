import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { openedForEachTest } from '../support/for-suite.js';
import type { TestCommands } from './run.js';

/** A channel and a folder for an import test. The folder is deleted after each test. */
export interface ImportFile {
  channel: TestChannel;
  folder: string;
  /** Path of the CSV file in the folder, which the test writes. */
  file: string;
}

/** Creates an empty channel and a folder for each test of a suite. */
export function importFileForEachTest(commands: TestCommands): ImportFile {
  return openedForEachTest(async () => {
    const channel = await createTestChannel(commands.store);
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-import-'));
    const close = async () => rmSync(folder, { recursive: true, force: true });
    return { channel, folder, file: join(folder, 'people.csv'), close };
  });
}
