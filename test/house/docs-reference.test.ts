import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replaceSections } from '../../scripts/lib/docs-reference/markers.mjs';
import type { ReceiptStatus } from '../../src/carriers/carrier.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../src/messages/message-status.js';
import { canMoveStatus } from '../../src/messages/status/status.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const RECEIPTS: readonly ReceiptStatus[] = ['delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired'];

describe('docs/reference/statuses.md', () => {
  const text = readFileSync(join(PROJECT_FOLDER, 'docs/reference/statuses.md'), 'utf8');
  const rows = new Map(
    [...text.matchAll(/^\| `(\w+)` \|.*\| ([^|]+) \|$/gm)].map(([, status = '', followers = '']) => [
      status,
      {
        followers: [...followers.matchAll(/`(\w+)`/g)].map(([, each]) => each),
        isException: followers.includes('except'),
      },
    ]),
  );

  it('explains every status in the order in which messages pass them', () => {
    expect([...rows.keys()]).toEqual(MESSAGE_STATUSES);
  });

  it.each(['sent', 'delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired'] satisfies MessageStatus[])(
    'lists what a receipt may do to a message that is %s',
    (status) => {
      const { followers = [], isException = false } = rows.get(status) ?? {};
      const expected = RECEIPTS.filter((receipt) => canMoveStatus(receipt, status));
      expect(isException ? [] : followers).toEqual(expected);
    },
  );
});

describe('replaceSections', () => {
  const page = 'Before.\n\n<!-- generated: list -->\nold\n<!-- /generated -->\n\nAfter.\n';

  it('replaces the text between the markers and keeps the rest', () => {
    expect(replaceSections(page, new Map([['list', 'new']]), 'page.md')).toBe(
      'Before.\n\n<!-- generated: list -->\n\nnew\n\n<!-- /generated -->\n\nAfter.\n',
    );
  });

  it('throws for a section without a marker', () => {
    const sections = new Map([
      ['list', 'new'],
      ['table', 'new'],
    ]);
    expect(() => replaceSections(page, sections, 'page.md')).toThrow('page.md has no marker for table');
  });

  it('throws for a marker without a section', () => {
    expect(() => replaceSections(page, new Map(), 'page.md')).toThrow('page.md: "list" is not generated');
  });
});
