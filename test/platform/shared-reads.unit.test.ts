import { describe, expect, it } from 'vitest';
import { SharedReads } from '../../src/platform/shared-reads.js';

describe('shared reads', () => {
  /** Reads that end when they are told to, each with the value that there was when it began. */
  function source() {
    const begun: { end(): void; fail(): void }[] = [];
    const state = { value: 'first' };
    const read = () => {
      const { value } = state;
      return new Promise<string>((resolve, reject) => {
        begun.push({ end: () => resolve(value), fail: () => reject(new Error(value)) });
      });
    };
    return { begun, state, read };
  }

  it('that are asked for while one is under way are one, which begins after it', async () => {
    const reads = new SharedReads<string>();
    const { begun, state, read } = source();
    const first = reads.get('a', read);
    state.value = 'changed';
    const others = [reads.get('a', read), reads.get('a', read)];
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    expect(await first).toBe('first');
    await Promise.resolve();
    expect(begun).toHaveLength(2);
    begun[1]?.end();
    expect(await Promise.all(others)).toEqual(['changed', 'changed']);
    const late = reads.get('a', read);
    expect(begun).toHaveLength(3);
    begun[2]?.end();
    expect(await late).toBe('changed');
  });

  it('of other keys are reads of their own, and a failure is that of its read alone', async () => {
    const reads = new SharedReads<string>();
    const { begun, read } = source();
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
