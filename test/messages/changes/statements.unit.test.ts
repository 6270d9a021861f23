import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../../src');
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
  .map((path) => ({ path, text: readFileSync(join(FOLDER, path), 'utf8') }));

/** Every `UPDATE messages` up to the end of its SET, which is WHERE, FROM or RETURNING. */
const updates = (text: string) => text.match(/UPDATE messages\b[\s\S]*?(?=\bFROM\b|\bWHERE\b|\bRETURNING\b)/g) ?? [];
const movesStatus = (text: string) => updates(text).some((update) => /\bstatus = /.test(update));

/** What was sent elsewhere, and what moves a row from one table to another. */
const UNTOLD = ['messages/rows/echo-store.ts', 'messages/partitions/keep-store.ts'];

describe('statements that make or move messages write down what changed', () => {
  it('all that insert messages, but for those that were sent elsewhere', () => {
    const inserting = FILES.filter(
      ({ path, text }) => text.includes('INSERT INTO messages ') && !UNTOLD.includes(path),
    );
    expect(inserting.length).toBeGreaterThanOrEqual(3);
    for (const { path, text } of inserting) expect(text, path).toContain('newChanges(');
  });

  it('all that change a status, but for what a restore cancels untold', () => {
    const moving = FILES.filter(({ path, text }) => movesStatus(text) && path !== 'messages/cancel/unsent-store.ts');
    expect(moving.length).toBeGreaterThanOrEqual(3);
    // A claim is no step that anybody is told of.
    for (const { path, text } of moving.filter(({ path }) => path !== 'messages/send/send-store.ts')) {
      expect(text, path).toContain('statusEvents(');
    }
  });
});
