import { describe, expect, it } from 'vitest';
import { Pacer } from '../../../../src/carriers/smpp/session/pacer.js';

describe('Pacer', () => {
  it('the pacer halves the rate once per burst, doubles pauses without success, and recovers', () => {
    const pacer = new Pacer({ window: 100, ratePerSecond: 200 });
    for (let now = 0; now < 500; now += 5) pacer.recordSend(now);
    pacer.recordThrottling(490, 500);
    pacer.recordThrottling(495, 501);
    expect(pacer.ratePerSecond).toBe(100);
    expect(pacer.pausedUntil).toBe(750);
    pacer.recordThrottling(760, 770);
    expect(pacer.pausedUntil).toBe(770 + 500);
    pacer.recordThrottling(1_280, 1_290);
    expect(pacer.pausedUntil).toBe(1_290 + 1_000);
    let now = 3_000;
    for (; pacer.ratePerSecond < 200 && now < 120_000; now += 1_000) pacer.recordSuccess(now);
    expect(pacer.ratePerSecond).toBe(200);
    expect(now).toBeGreaterThan(7_000);
    pacer.recordThrottling(now, now + 1);
    expect(pacer.pausedUntil).toBe(now + 1 + 250);
  });

  it('the pacer never lowers the rate below the minimum, or below a lower configured rate', () => {
    for (const [ratePerSecond, floor] of [
      [1_000, 10],
      [2, 2],
    ] as const) {
      const pacer = new Pacer({ window: 10, ratePerSecond });
      for (let now = 0; now < 100_000; now += 1_000) pacer.recordThrottling(now, now + 1);
      expect(pacer.ratePerSecond).toBe(floor);
    }
  });

  it('the pacer catches up after a late timer, but not after an idle period', () => {
    const pacer = new Pacer({ window: 1_000, ratePerSecond: 1_000 });
    pacer.recordSend(0);
    let sentCount = 0;
    for (; pacer.getNextSendAt() <= 5_000; sentCount++) pacer.recordSend(5_000);
    expect(sentCount).toBeLessThan(13);
  });
});
