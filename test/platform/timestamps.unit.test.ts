import { describe, expect, it } from 'vitest';
import { readTimestamp } from '../../src/platform/timestamps.js';

describe('readTimestamp', () => {
  it.each([
    ['2026-12-01T08:00:00Z', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01T08:00+02:00', '2026-12-01T06:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('parses %s as %s', (text, moment) => {
    expect(readTimestamp(text)?.toISOString()).toBe(moment);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-12-01T08:00:00',
    '2026-12-01',
    '0000-01-01T00:00:00Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-14:00',
  ])('rejects %s, which is invalid or which the store cannot hold', (text) => {
    expect(readTimestamp(text)).toBeNull();
  });
});
