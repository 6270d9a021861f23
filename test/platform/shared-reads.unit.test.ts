import { describe, expect, it } from 'vitest';
import { SharedReads } from '../../src/platform/shared-reads.js';

describe('SharedReads', () => {
  function createSource() {
    const startedReads: { end(): void; fail(): void }[] = [];
    const state = { value: 'first' };
    const read = () => {
      const { value } = state;
      return new Promise<string>((resolve, reject) => {
        startedReads.push({ end: () => resolve(value), fail: () => reject(new Error(value)) });
      });
    };
    return { startedReads, state, read };
  }

  it('merges requests during a read into one that starts after it', async () => {
    const reads = new SharedReads<string>();
    const { startedReads, state, read } = createSource();
    const first = reads.get('a', read);
    state.value = 'changed';
    const concurrent = [reads.get('a', read), reads.get('a', read)];
    expect(startedReads).toHaveLength(1);
    startedReads[0]?.end();
    expect(await first).toBe('first');
    await Promise.resolve();
    expect(startedReads).toHaveLength(2);
    startedReads[1]?.end();
    expect(await Promise.all(concurrent)).toEqual(['changed', 'changed']);
    const last = reads.get('a', read);
    expect(startedReads).toHaveLength(3);
    startedReads[2]?.end();
    expect(await last).toBe('changed');
  });

  it('reads other keys separately, and a failure affects only its own read', async () => {
    const reads = new SharedReads<string>();
    const { startedReads, read } = createSource();
    const [a, again, b] = [reads.get('a', read), reads.get('a', read), reads.get('b', read)];
    expect(startedReads).toHaveLength(2);
    startedReads[0]?.fail();
    startedReads[1]?.end();
    await expect(a).rejects.toThrow('first');
    expect(await b).toBe('first');
    startedReads[2]?.end();
    expect(await again).toBe('first');
  });
});
