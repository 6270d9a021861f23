import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Readable } from '../../../../src/platform/reads/reads.js';
import { ReplicaReads } from '../../../../src/platform/store/reaching/replica.js';

/** A primary whose log is `written` long, and a replica that has applied some of it. */
function pair(maxAgeMs = 1_000) {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const state = { written: 1, applied: 1, isAway: false, stands: null as Promise<void> | null, warned: 0 };
  const log = pino({ level: 'silent' });
  log.warn = () => {
    state.warned += 1;
  };
  const of = (name: string, query: (values: string[]) => object) =>
    ({
      name,
      pool: {
        query: async (_: string, [values = []]: string[][] = []) => {
          if (name === 'replica') await state.stands;
          return { rows: [query(values)] };
        },
      },
    }) as never as Readable;
  const primary = of('primary', () => ({ lsn: String(state.written) }));
  const replica = of('replica', (positions) => {
    if (state.isAway) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    return { place: positions.filter((each) => Number(each) <= state.applied).length };
  });
  const reads = new ReplicaReads({ primary, replica, maxAgeMs, log });
  const where = () => reads.read(async (store) => (store as unknown as { name: string }).name);
  return { state, reads, where, pass: (ms: number) => vi.advanceTimersByTime(ms) };
}

describe('what is read', () => {
  it('comes from a replica that has applied all', async () => {
    const { where, reads } = pair();
    expect(await where()).toBe('replica');
    expect(await reads.ageMs()).toBe(0);
  });

  it('comes from the primary once the replica is older than it may be, and from the replica when it has caught up', async () => {
    const { state, where, pass } = pair();
    expect(await where()).toBe('replica');
    state.written = 5;
    pass(900);
    expect(await where()).toBe('replica');
    pass(600);
    expect(await where()).toBe('primary');
    expect(state.warned).toBe(1);
    pass(600);
    expect(await where()).toBe('primary');
    expect(state.warned).toBe(1);
    // As it was when the primary was asked a moment ago.
    state.applied = 5;
    pass(600);
    expect(await where()).toBe('replica');
  });

  it('is no younger than the last position that the replica has reached', async () => {
    const { state, reads, pass } = pair();
    await reads.ageMs();
    state.written = 2;
    pass(1_000);
    await reads.ageMs();
    state.written = 3;
    state.applied = 2;
    pass(1_000);
    expect(await reads.ageMs()).toBe(1_000);
  });

  it('comes from the primary while the replica is away, and when a statement fails there', async () => {
    const { state, reads, where, pass } = pair();
    expect(await where()).toBe('replica');
    const conflict = Object.assign(new Error('conflict with recovery'), { code: '40001' });
    const asked: string[] = [];
    const answer = await reads.read(async (store) => {
      const { name } = store as unknown as { name: string };
      asked.push(name);
      if (name === 'replica') throw conflict;
      return name;
    });
    expect([answer, asked]).toEqual(['primary', ['replica', 'primary']]);
    state.isAway = true;
    pass(600);
    expect(await where()).toBe('primary');
  });

  it('waits once for a replica that stands still, and comes from it again once it goes on', async () => {
    const { state, where, reads, pass } = pair();
    expect(await where()).toBe('replica');
    let goOn = () => {};
    state.stands = new Promise((resolve) => {
      goOn = resolve;
    });
    pass(600);
    expect(await where()).toBe('primary');
    const atOnce = Promise.race([where(), pause(200, 'late')]);
    expect(await atOnce).toBe('primary');
    expect([reads.isAway, await reads.ageMs()]).toEqual([true, Number.POSITIVE_INFINITY]);
    goOn();
    expect(await reads.settledAgeMs()).toBeLessThan(1_000);
    expect(await where()).toBe('replica');
  });

  it('is counted by where it was read, and why', async () => {
    const { state, reads, where, pass } = pair();
    await where();
    await reads.read(async (store) => {
      if ((store as unknown as { name: string }).name === 'replica')
        throw Object.assign(new Error('conflict'), { code: '40001' });
    });
    state.written = 5;
    pass(2_000);
    await where();
    state.isAway = true;
    pass(600);
    await where();
    const counts = reads.tally.metric('reads', '').read();
    expect(await counts).toEqual([
      { labels: { from: 'replica', reason: 'young' }, value: 1 },
      { labels: { from: 'primary', reason: 'given_up' }, value: 1 },
      { labels: { from: 'primary', reason: 'too_old' }, value: 1 },
      { labels: { from: 'primary', reason: 'away' }, value: 1 },
    ]);
  });

  it('fails as it would on the primary for what is wrong', async () => {
    const { reads } = pair();
    await expect(reads.read(() => Promise.reject(new Error('ours')))).rejects.toThrow('ours');
  });
});
