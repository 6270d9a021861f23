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
    return { begun: startedReads, state, read };
  }

  it('merges requests during a read into one that starts after it', async () => {
    const reads = new SharedReads<string>();
    const { begun, state, read } = createSource();
    const first = reads.get('a', read);
    state.value = 'changed';
    const concurrent = [reads.get('a', read), reads.get('a', read)];
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    expect(await first).toBe('first');
    await Promise.resolve();
    expect(begun).toHaveLength(2);
    begun[1]?.end();
    expect(await Promise.all(concurrent)).toEqual(['changed', 'changed']);
    const last = reads.get('a', read);
    expect(begun).toHaveLength(3);
    begun[2]?.end();
    expect(await last).toBe('changed');
  });

  it('reads other keys separately, and a failure affects only its own read', async () => {
    const reads = new SharedReads<string>();
    const { begun, read } = createSource();
    const [a, again, b] = [reads.get('a', read), reads.get('a', read), reads.get('b', read)];
    expect(begun).toHaveLength(2);
    begun[0]?.fail();
    begun[1]?.end();
    await expect(a).rejects.toThrow('first');
    expect(await b).toBe('first');
    begun[2]?.end();
    expect(await again).toBe('first');
  });
});
