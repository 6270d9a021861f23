import { describe, expect, it } from 'vitest';
import { type IndexProgress, sayProgress } from '../../../src/platform/store/migrations/concurrent-index.js';

const none = { blocks_done: '0', blocks_total: '0', tuples_done: '0', tuples_total: '0', locker: null };
const said = (known: Partial<IndexProgress> & { phase: string }) => sayProgress('filled_n_idx', { ...none, ...known });

describe('what is said of an index that takes long', () => {
  it('is how much of the table is read, or of the entries written', () => {
    expect(said({ phase: 'building index: scanning table', blocks_done: '21', blocks_total: '50' })).toBe(
      'Making the index filled_n_idx: building index: scanning table, 42 %',
    );
    expect(said({ phase: 'building index: loading tuples in tree', tuples_done: '1', tuples_total: '3' })).toBe(
      'Making the index filled_n_idx: building index: loading tuples in tree, 33 %',
    );
    expect(said({ phase: 'initializing' })).toBe('Making the index filled_n_idx: initializing');
  });

  it('is whose transaction it waits for', () => {
    expect(said({ phase: 'waiting for writers before build', locker: 7 })).toBe(
      'Making the index filled_n_idx: waiting for writers before build, for the transaction of process 7 of PostgreSQL',
    );
  });
});
