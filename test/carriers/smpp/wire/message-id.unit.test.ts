import { describe, expect, it } from 'vitest';
import { normalizeMessageId } from '../../../../src/carriers/smpp/wire/message-id.js';

describe('normalizeMessageId', () => {
  it.each([
    ['text', ' AbC ', 'AbC'],
    ['hex', '00DeadBeef', '3735928559'],
    ['hex', 'not hex', 'not hex'],
    ['decimal', '0003735928559', '3735928559'],
    ['decimal', 'a-1', 'a-1'],
    ['hex', 'ffffffffffffffffff', '4722366482869645213695'],
  ] as const)('an SMPP message ID converts, in format %s, %s to %s', (format, id, expected) => {
    expect(normalizeMessageId(id, format)).toBe(expected);
  });
});
