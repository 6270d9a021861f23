import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CarrierGate, type GateEntry } from '../../../src/messages/queue/carrier-gate.js';

describe("a carrier's share of a lane", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function enter(gate: CarrierGate, jobs: number, accountId = 'bulk'): (GateEntry | null)[] {
    const entries: (GateEntry | null)[] = Array(jobs).fill(null);
    for (let job = 0; job < jobs; job++) {
      void gate.enter({ accountId, campaignId: null, first: false, share: 1 }).then((entry) => {
        entries[job] = entry;
      });
    }
    return entries;
  }
  const running = (entries: readonly (GateEntry | null)[]) => entries.filter((entry) => entry?.run).length;
  const back = (entries: readonly (GateEntry | null)[]) =>
    entries.flatMap((entry) => (entry?.run === false ? [entry.returnInMs] : []));
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('further jobs wait while the carrier is fast, and their accounts take turns', async () => {
    const gate = new CarrierGate({ maxRunning: 2, maxHeld: 4 });
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

  it("one small job may run in addition to a carrier's share", async () => {
    const gate = new CarrierGate({ maxRunning: 2, maxHeld: 4 });
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

  it('a hung carrier holds a limited number of jobs; others are sent back and return one after the other', async () => {
    const gate = new CarrierGate({ maxRunning: 2, maxHeld: 4 });
    const bulk = enter(gate, 10);
    await pass(1_000);
    expect([running(bulk), back(bulk).length]).toEqual([2, 6]);
    expect(Math.min(...back(bulk))).toBeGreaterThanOrEqual(250);
    expect(Math.max(...back(bulk))).toBeLessThan(10_000);
    expect(new Set(back(bulk)).size).toBe(6);

    const single = enter(gate, 1, 'single');
    await pass(0);
    expect([back(single).length, back(bulk).length]).toEqual([0, 7]);
    gate.leave();
    await pass(0);
    expect(running(single)).toBe(1);
  });

  const STEP_MS = 10;
  const JOB_MS = 250;
  const RELAY_MS = 5_000;

  /**
   * Runs jobs like a queue: delayed jobs return when they are due.
   * @param lostAt when the queue loses its delayed jobs; the relay adds them again as new jobs
   * @returns milliseconds until all have run
   */
  async function run(gate: CarrierGate, jobs: number, lostAt = Number.POSITIVE_INFINITY): Promise<number> {
    const began = performance.now();
    const now = () => performance.now() - began;
    let delayed: number[] = Array(jobs).fill(0);
    let left = jobs;
    let isLost = false;
    const take = async () => {
      const entry = await gate.enter({ accountId: 'bulk', campaignId: null, first: false, share: 1 });
      if (!entry.run) return void delayed.push(now() + entry.returnInMs);
      setTimeout(() => {
        left -= 1;
        gate.leave();
      }, JOB_MS);
    };
    while (left > 0 && now() < 120_000) {
      if (!isLost && now() >= lostAt) {
        isLost = true;
        delayed = delayed.map(() => now() + RELAY_MS);
      }
      const dueJobs = delayed.filter((at) => at <= now());
      delayed = delayed.filter((at) => at > now());
      for (const _ of dueJobs) void take();
      await pass(STEP_MS);
    }
    return now();
  }

  it('later jobs are treated like the first after earlier ones were sent back and returned', async () => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 4 });
    const first = await run(gate, 40);
    expect(first).toBeLessThan(40 * JOB_MS * 1.2);
    for (const _ of [2, 3]) expect(await run(gate, 40)).toBeLessThan(first * 1.2);
  });

  it.each([500, 2_000, 4_000])('jobs that the queue loses after %i ms only lose time', async (lostAt) => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 4 });
    const whole = await run(gate, 40);
    expect(await run(new CarrierGate({ maxRunning: 1, maxHeld: 4 }), 40, lostAt)).toBeLessThan(
      whole + RELAY_MS + 1_000,
    );
  });

  it('jobs that other processes took are not waited for', async () => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 2 });
    enter(gate, 1);
    await pass(1_000);
    const lost = back(enter(gate, 200)).length;
    await pass(0);
    const before = enter(gate, 1);
    await pass(0);
    expect(lost).toBe(0);
    expect(back(before)[0]).toBeGreaterThan(50_000);
    gate.forgetReturns();
    const after = enter(gate, 1);
    await pass(0);
    expect(back(after)[0]).toBeLessThan(2_000);
    await pass(300_000);
    const later = enter(gate, 1);
    await pass(0);
    expect(back(later)[0]).toBeLessThan(2_000);
  });

  it('the share is fully available again once the carrier is fast', async () => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 2 });
    enter(gate, 2);
    await pass(10_000);
    for (let job = 0; job < 30; job++) {
      gate.leave();
      enter(gate, 1);
      await pass(2);
    }
    const entries = enter(gate, 10);
    await pass(1);
    expect(back(entries)).toEqual([]);
    gate.sendAllBack();
    await pass(0);
    expect(back(entries)).toHaveLength(10);
  });
});
