import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { openedForEachTest } from '../support/for-suite.js';
import type { TestCommands } from './run.js';

/** What each test gets that imports contacts by a command; the folder is removed after it. */
export interface ImportFile {
  channel: TestChannel;
  folder: string;
  /** Of CSV, in that folder; it is not written yet. */
  file: string;
}

/** A channel without contacts, and a place for a file, anew for each test of a suite. */
export function importFileForEachTest(commands: TestCommands): ImportFile {
  return openedForEachTest(async () => {
    const channel = await createTestChannel(commands.store);
    const folder = mkdtempSync(join(tmpdir(), 'heliograph-import-'));
    const close = async () => rmSync(folder, { recursive: true, force: true });
    return { channel, folder, file: join(folder, 'people.csv'), close };
  });
}
