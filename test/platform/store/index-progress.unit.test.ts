import { describe, expect, it } from 'vitest';
import { formatProgress, type IndexProgress } from '../../../src/platform/store/migrations/concurrent-index.js';

const noProgress = { blocks_done: '0', blocks_total: '0', tuples_done: '0', tuples_total: '0', locker: null };
const format = (progress: Partial<IndexProgress> & { phase: string }) =>
  formatProgress('filled_n_idx', { ...noProgress, ...progress });

describe('the progress of an index', () => {
  it('shows the share of blocks read or tuples written', () => {
    expect(format({ phase: 'building index: scanning table', blocks_done: '21', blocks_total: '50' })).toBe(
      'Creating the index filled_n_idx: building index: scanning table, 42 %',
    );
    expect(format({ phase: 'building index: loading tuples in tree', tuples_done: '1', tuples_total: '3' })).toBe(
      'Creating the index filled_n_idx: building index: loading tuples in tree, 33 %',
    );
    expect(format({ phase: 'initializing' })).toBe('Creating the index filled_n_idx: initializing');
  });

  it('names the process whose transaction it waits for', () => {
    expect(format({ phase: 'waiting for writers before build', locker: 7 })).toBe(
      'Creating the index filled_n_idx: waiting for writers before build, for the transaction of PostgreSQL process 7',
    );
  });
});
