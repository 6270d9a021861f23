import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CarrierGate, type Entry } from '../../../src/messages/queue/carrier-gate.js';

describe('the share of a carrier in a lane', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** So many jobs of an account that want to run; what each was told, in their order, as far as it was told something. */
  function enter(gate: CarrierGate, jobs: number, accountId = 'bulk'): (Entry | null)[] {
    const told: (Entry | null)[] = Array(jobs).fill(null);
    for (let job = 0; job < jobs; job++) {
      void gate.enter({ accountId, campaignId: null, first: false, share: 1 }).then((entry) => {
        told[job] = entry;
      });
    }
    return told;
  }
  const running = (told: readonly (Entry | null)[]) => told.filter((entry) => entry?.run).length;
  const back = (told: readonly (Entry | null)[]) =>
    told.flatMap((entry) => (entry?.run === false ? [entry.againInMs] : []));
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('jobs beyond it wait while the carrier is quick, and their accounts take turns', async () => {
    const gate = new CarrierGate({ share: 2, held: 4 });
    const bulk = enter(gate, 20);
    const single = enter(gate, 1, 'single');
    await pass(5);
    expect([running(bulk), running(single)]).toEqual([2, 0]);
    gate.leave();
    await pass(0);
    expect([running(bulk), running(single)]).toEqual([2, 1]);
    for (let job = 0; job < 20; job++) {
      await pass(5);
      gate.leave();
    }
    await pass(0);
    expect(running(bulk)).toBe(20);
  });

  it('a small job runs beside it, one at a time', async () => {
    const gate = new CarrierGate({ share: 2, held: 4 });
    const bulk = enter(gate, 5);
    const small = Array.from({ length: 2 }, (_, no) =>
      gate.enter({ accountId: `small ${no}`, campaignId: null, first: false, share: 0.01 }),
    );
    await pass(0);
    expect(running(bulk)).toBe(2);
    expect(await small[0]).toEqual({ run: true });
    gate.leave();
    expect(await small[1]).toEqual({ run: true });
    expect(running(bulk)).toBe(2);
    gate.leave();
    gate.leave();
    await pass(0);
    expect(running(bulk)).toBe(3);
  });

  it('when it hangs, it holds so many, and the others come again one after the other', async () => {
    const gate = new CarrierGate({ share: 2, held: 4 });
    const bulk = enter(gate, 10);
    await pass(1_000);
    expect([running(bulk), back(bulk).length]).toEqual([2, 6]);
    expect(Math.min(...back(bulk))).toBeGreaterThanOrEqual(250);
    expect(Math.max(...back(bulk))).toBeLessThan(10_000);
    expect(new Set(back(bulk)).size).toBe(6);

    // Who comes now waits for the carrier in the place of one of those who have more.
    const single = enter(gate, 1, 'single');
    await pass(0);
    expect([back(single).length, back(bulk).length]).toEqual([0, 7]);
    gate.leave();
    await pass(0);
    expect(running(single)).toBe(1);
  });

  it('is open again when the carrier has become quick', async () => {
    const gate = new CarrierGate({ share: 1, held: 2 });
    enter(gate, 2);
    await pass(10_000);
    for (let job = 0; job < 30; job++) {
      gate.leave();
      enter(gate, 1);
      await pass(2);
    }
    const told = enter(gate, 10);
    await pass(1);
    expect(back(told)).toEqual([]);
    gate.clear();
    await pass(0);
    expect(back(told)).toHaveLength(10);
  });
});
