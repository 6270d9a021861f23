import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../../src');
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
  .map((path) => ({ path, text: readFileSync(join(FOLDER, path), 'utf8') }));

const listUpdates = (text: string) =>
  text.match(/UPDATE messages\b[\s\S]*?(?=\bFROM\b|\bWHERE\b|\bRETURNING\b)/g) ?? [];
const movesStatus = (text: string) => listUpdates(text).some((update) => /\bstatus = /.test(update));

/** Files that record no changes, because they store echoes of messages sent elsewhere or move rows between tables. */
const UNRECORDED_FILES = ['messages/stored-messages/echo-store.ts', 'messages/partitions/ensure-months-store.ts'];

describe('statements that record changes', () => {
  it('all statements that insert messages record changes, except for messages sent elsewhere', () => {
    const insertingFiles = FILES.filter(
      ({ path, text }) => text.includes('INSERT INTO messages ') && !UNRECORDED_FILES.includes(path),
    );
    expect(insertingFiles.length).toBeGreaterThanOrEqual(3);
    for (const { path, text } of insertingFiles) expect(text, path).toContain('insertChangesSql(');
  });

  it('all statements that change a status record changes, except the silent cancellation after a restore', () => {
    const statusFiles = FILES.filter(
      ({ path, text }) => movesStatus(text) && path !== 'messages/cancel/unsent-store.ts',
    );
    expect(statusFiles.length).toBeGreaterThanOrEqual(3);
    // Claims and holds are not recorded, because no client is notified of `sending` and `queued`.
    const silentFiles = ['messages/send/send-store.ts', 'messages/send/holds/hold-store.ts'];
    for (const { path, text } of statusFiles.filter(({ path }) => !silentFiles.includes(path))) {
      expect(text, path).toContain('statusEvents(');
    }
  });
});
