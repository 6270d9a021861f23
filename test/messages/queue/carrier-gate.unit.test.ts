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
  const countRunning = (entries: readonly (GateEntry | null)[]) => entries.filter((entry) => entry?.run).length;
  const listReturnDelays = (entries: readonly (GateEntry | null)[]) =>
    entries.flatMap((entry) => (entry?.run === false ? [entry.returnInMs] : []));
  const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('further jobs wait while the carrier is fast, and their accounts take turns', async () => {
    const gate = new CarrierGate({ maxRunning: 2, maxHeld: 4 });
    const bulk = enter(gate, 20);
    const single = enter(gate, 1, 'single');
    await advance(5);
    expect([countRunning(bulk), countRunning(single)]).toEqual([2, 0]);
    gate.leave();
    await advance(0);
    expect([countRunning(bulk), countRunning(single)]).toEqual([2, 1]);
    for (let job = 0; job < 20; job++) {
      await advance(5);
      gate.leave();
    }
    await advance(0);
    expect(countRunning(bulk)).toBe(20);
  });

  it("one small job may run in addition to a carrier's share", async () => {
    const gate = new CarrierGate({ maxRunning: 2, maxHeld: 4 });
    const bulk = enter(gate, 5);
    const smallJobs = Array.from({ length: 2 }, (_, index) =>
      gate.enter({ accountId: `small ${index}`, campaignId: null, first: false, share: 0.01 }),
    );
    await advance(0);
    expect(countRunning(bulk)).toBe(2);
    expect(await smallJobs[0]).toEqual({ run: true });
    gate.leave();
    expect(await smallJobs[1]).toEqual({ run: true });
    expect(countRunning(bulk)).toBe(2);
    gate.leave();
    gate.leave();
    await advance(0);
    expect(countRunning(bulk)).toBe(3);
  });

  it('a hung carrier holds a limited number of jobs; others are sent back and return one after the other', async () => {
    const gate = new CarrierGate({ maxRunning: 2, maxHeld: 4 });
    const bulk = enter(gate, 10);
    await advance(1_000);
    expect([countRunning(bulk), listReturnDelays(bulk).length]).toEqual([2, 6]);
    expect(Math.min(...listReturnDelays(bulk))).toBeGreaterThanOrEqual(250);
    expect(Math.max(...listReturnDelays(bulk))).toBeLessThan(10_000);
    expect(new Set(listReturnDelays(bulk)).size).toBe(6);

    const single = enter(gate, 1, 'single');
    await advance(0);
    expect([listReturnDelays(single).length, listReturnDelays(bulk).length]).toEqual([0, 7]);
    gate.leave();
    await advance(0);
    expect(countRunning(single)).toBe(1);
  });

  const STEP_MS = 10;
  const JOB_MS = 250;
  const RELAY_MS = 5_000;

  /**
   * Runs jobs like a queue, and returns the milliseconds until all of them have run. At `lostAt`, the queue loses its delayed
   * jobs, and the relay adds them again as new jobs.
   */
  async function runJobs(gate: CarrierGate, jobs: number, lostAt = Number.POSITIVE_INFINITY): Promise<number> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    let dueTimes: number[] = Array(jobs).fill(0);
    let remaining = jobs;
    let isLost = false;
    const runJob = async () => {
      const entry = await gate.enter({ accountId: 'bulk', campaignId: null, first: false, share: 1 });
      if (!entry.run) return void dueTimes.push(elapsed() + entry.returnInMs);
      setTimeout(() => {
        remaining -= 1;
        gate.leave();
      }, JOB_MS);
    };
    while (remaining > 0 && elapsed() < 120_000) {
      if (!isLost && elapsed() >= lostAt) {
        isLost = true;
        dueTimes = dueTimes.map(() => elapsed() + RELAY_MS);
      }
      const dueJobs = dueTimes.filter((time) => time <= elapsed());
      dueTimes = dueTimes.filter((time) => time > elapsed());
      for (const _ of dueJobs) void runJob();
      await advance(STEP_MS);
    }
    return elapsed();
  }

  it('later jobs are treated like the first after earlier ones were sent back and returned', async () => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 4 });
    const firstDuration = await runJobs(gate, 40);
    expect(firstDuration).toBeLessThan(40 * JOB_MS * 1.2);
    for (const _ of [2, 3]) expect(await runJobs(gate, 40)).toBeLessThan(firstDuration * 1.2);
  });

  it.each([500, 2_000, 4_000])('jobs that the queue loses after %i ms are only delayed', async (lostAt) => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 4 });
    const undisturbedDuration = await runJobs(gate, 40);
    expect(await runJobs(new CarrierGate({ maxRunning: 1, maxHeld: 4 }), 40, lostAt)).toBeLessThan(
      undisturbedDuration + RELAY_MS + 1_000,
    );
  });

  it('jobs that other processes took are not waited for', async () => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 2 });
    enter(gate, 1);
    await advance(1_000);
    const returnedCount = listReturnDelays(enter(gate, 200)).length;
    await advance(0);
    const entriesBefore = enter(gate, 1);
    await advance(0);
    expect(returnedCount).toBe(0);
    expect(listReturnDelays(entriesBefore)[0]).toBeGreaterThan(50_000);
    gate.forgetReturns();
    const entriesAfter = enter(gate, 1);
    await advance(0);
    expect(listReturnDelays(entriesAfter)[0]).toBeLessThan(2_000);
    await advance(300_000);
    const laterEntries = enter(gate, 1);
    await advance(0);
    expect(listReturnDelays(laterEntries)[0]).toBeLessThan(2_000);
  });

  it('the share is fully available again once the carrier is fast', async () => {
    const gate = new CarrierGate({ maxRunning: 1, maxHeld: 2 });
    enter(gate, 2);
    await advance(10_000);
    for (let job = 0; job < 30; job++) {
      gate.leave();
      enter(gate, 1);
      await advance(2);
    }
    const entries = enter(gate, 10);
    await advance(1);
    expect(listReturnDelays(entries)).toEqual([]);
    gate.sendAllBack();
    await advance(0);
    expect(listReturnDelays(entries)).toHaveLength(10);
  });
});
