import { describe, expect, it } from 'vitest';
import { planClaims } from '../../../src/features/webhooks/delivery/claim-plan.js';
import { Endpoint } from '../../../src/features/webhooks/delivery/endpoint.js';

function answered(times: number, { ok = true, tookMs = 10, from = 0 } = {}): Endpoint {
  const endpoint = new Endpoint(false);
  for (let i = 0; i < times; i += 1) {
    endpoint.begin(`d${i}`, from);
    endpoint.end(`d${i}`, ok, from + tookMs);
  }
  return endpoint;
}

function hang(endpoint: Endpoint, count: number, since: number): Endpoint {
  for (let i = 0; i < count; i += 1) endpoint.begin(`h${i}`, since);
  return endpoint;
}

describe('an endpoint', () => {
  it('gets its limit of concurrent attempts, and a quarter while it is slow', () => {
    const endpoint = new Endpoint(false, 12);
    for (const no of [1, 2, 3, 4, 5]) {
      endpoint.begin(`fast ${no}`, 0);
      endpoint.end(`fast ${no}`, true, 10);
    }
    expect(endpoint.countFreeSlots(10)).toBe(12);
    endpoint.begin('slow', 10);
    endpoint.end('slow', true, 2_000);
    expect(endpoint.countFreeSlots(2_000)).toBe(3);
  });

  it('starts with one attempt and doubles the limit after each success', () => {
    expect(new Endpoint(false).countFreeSlots(0)).toBe(1);
    expect([1, 2, 3, 6, 9].map((times) => answered(times).countFreeSlots(10))).toEqual([2, 4, 8, 32, 32]);
  });

  it('is steady, new or in trouble', () => {
    expect(new Endpoint(false).getState(0)).toBe('new');
    expect(new Endpoint(true).getState(0)).toBe('trouble');
    expect(answered(1).getState(10)).toBe('steady');
    expect(answered(1, { ok: false }).getState(10)).toBe('trouble');
    expect(answered(1, { tookMs: 1_001 }).getState(1_001)).toBe('trouble');
  });

  it('is in trouble as soon as a try hangs, and out of it when the next one succeeds', () => {
    const endpoint = hang(answered(6), 1, 100);
    expect(endpoint.getState(1_100)).toBe('steady');
    expect(endpoint.getState(1_101)).toBe('trouble');
    expect(endpoint.countFreeSlots(1_101)).toBe(7);
    endpoint.end('h0', true, 5_000);
    endpoint.begin('next', 5_000);
    endpoint.end('next', true, 5_010);
    expect(endpoint.getState(5_010)).toBe('steady');
  });

  it('that fails is tried one at a time, and then only now and then, up to 10 s apart', () => {
    const endpoint = answered(6);
    let now = 0;
    const fail = () => {
      endpoint.begin('x', now);
      endpoint.end('x', false, now);
    };
    for (let i = 0; i < 4; i += 1) fail();
    expect(endpoint.countFreeSlots(now)).toBe(2);
    fail();
    const pauses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const from = now;
      while (endpoint.countFreeSlots(now) === 0) now += 500;
      expect(endpoint.countFreeSlots(now)).toBeLessThanOrEqual(2);
      pauses.push(now - from);
      fail();
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
    endpoint.begin('y', now);
    endpoint.end('y', true, now);
    expect(endpoint.countFreeSlots(now)).toBe(2);
  });

  it('that fails many at once pauses as after one failure', () => {
    const endpoint = hang(answered(6), 32, 10);
    for (let i = 0; i < 32; i += 1) endpoint.end(`h${i}`, false, 20);
    expect(endpoint.countFreeSlots(20)).toBe(0);
    expect(endpoint.countFreeSlots(1_020)).toBe(1);
  });
});

describe('the plan of claims', () => {
  const plan = (endpoints: [string, Endpoint][], others: Endpoint[] = [], now = 2_000, concurrency = 64) =>
    planClaims([...endpoints.map(([, endpoint]) => endpoint), ...others], endpoints, { concurrency, now });

  it('gives a steady endpoint what it can take', () => {
    expect(plan([['a', answered(4)]])).toEqual({ requests: [{ webhookId: 'a', count: 16 }], isShort: false });
  });

  it('shares slots out evenly, and says when they fall isShort', () => {
    const { requests, isShort } = plan([
      ['a', answered(9)],
      ['b', answered(9)],
      ['c', answered(2)],
      ['d', answered(9)],
    ]);
    expect(requests).toEqual([
      { webhookId: 'a', count: 16 },
      { webhookId: 'b', count: 16 },
      { webhookId: 'c', count: 4 },
      { webhookId: 'd', count: 28 },
    ]);
    expect(isShort).toBe(true);
  });

  it('finds slots for a steady endpoint and for a new one although others hang', () => {
    const dead = Array.from({ length: 64 }, () => hang(new Endpoint(false), 1, 0));
    const fell = hang(answered(9), 32, 0);
    const { requests } = plan(
      [
        ['well', answered(3)],
        ['unknown', new Endpoint(false)],
      ],
      [...dead, fell],
    );
    expect(requests).toEqual([
      { webhookId: 'well', count: 8 },
      { webhookId: 'unknown', count: 1 },
    ]);
  });

  it('finds slots for a steady endpoint although a great many others hang', () => {
    const dead = Array.from({ length: 400 }, () => hang(new Endpoint(false), 1, 0));
    const { requests } = plan(
      [
        ['well', answered(3)],
        ['unknown', new Endpoint(false)],
      ],
      dead,
    );
    expect(requests).toEqual([{ webhookId: 'well', count: 8 }]);
  });

  it('gives those in trouble no more than a quarter, those that were served longest ago first', () => {
    const failing = Array.from({ length: 40 }, (_, index): [string, Endpoint] => {
      const endpoint = new Endpoint(true);
      endpoint.servedAt = 40 - index;
      return [`w${index}`, endpoint];
    });
    const { requests, isShort } = plan(failing);
    expect(requests).toHaveLength(16);
    expect(requests.map(({ webhookId }) => webhookId)).toEqual(
      failing
        .map(([id]) => id)
        .reverse()
        .slice(0, 16),
    );
    expect(isShort).toBe(true);
  });

  it('claims nothing more for anybody beyond eight times the concurrency', () => {
    const fell = Array.from({ length: 16 }, () => hang(answered(9), 32, 0));
    expect(plan([['well', answered(3)]], fell).requests).toEqual([]);
    expect(plan([['well', answered(3)]], fell.slice(1)).requests).toHaveLength(1);
  });
});
