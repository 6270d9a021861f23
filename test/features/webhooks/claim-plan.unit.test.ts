import { describe, expect, it } from 'vitest';
import { planClaims } from '../../../src/features/webhooks/delivery/claim-plan.js';
import { Endpoint } from '../../../src/features/webhooks/delivery/endpoint.js';

function createAnswered(times: number, { ok = true, tookMs = 10, from = 0 } = {}): Endpoint {
  const endpoint = new Endpoint(false);
  for (let i = 0; i < times; i += 1) {
    endpoint.begin(`d${i}`, from);
    endpoint.end(`d${i}`, ok, from + tookMs);
  }
  return endpoint;
}

function startHanging(endpoint: Endpoint, count: number, startedAt: number): Endpoint {
  for (let i = 0; i < count; i += 1) endpoint.begin(`h${i}`, startedAt);
  return endpoint;
}

describe('an endpoint', () => {
  it('a webhook endpoint gets its limit of concurrent attempts, and a quarter while it is slow', () => {
    const endpoint = new Endpoint(false, 12);
    for (const index of [1, 2, 3, 4, 5]) {
      endpoint.begin(`fast ${index}`, 0);
      endpoint.end(`fast ${index}`, true, 10);
    }
    expect(endpoint.countFreeSlots(10)).toBe(12);
    endpoint.begin('slow', 10);
    endpoint.end('slow', true, 2_000);
    expect(endpoint.countFreeSlots(2_000)).toBe(3);
  });

  it('a webhook endpoint starts with one attempt and doubles the limit after each success', () => {
    expect(new Endpoint(false).countFreeSlots(0)).toBe(1);
    expect([1, 2, 3, 6, 9].map((times) => createAnswered(times).countFreeSlots(10))).toEqual([2, 4, 8, 32, 32]);
  });

  it('a webhook endpoint is steady, new or in trouble', () => {
    expect(new Endpoint(false).getState(0)).toBe('new');
    expect(new Endpoint(true).getState(0)).toBe('trouble');
    expect(createAnswered(1).getState(10)).toBe('steady');
    expect(createAnswered(1, { ok: false }).getState(10)).toBe('trouble');
    expect(createAnswered(1, { tookMs: 1_001 }).getState(1_001)).toBe('trouble');
  });

  it('a webhook endpoint is in trouble as soon as a try hangs, and out of it when the next one succeeds', () => {
    const endpoint = startHanging(createAnswered(6), 1, 100);
    expect(endpoint.getState(1_100)).toBe('steady');
    expect(endpoint.getState(1_101)).toBe('trouble');
    expect(endpoint.countFreeSlots(1_101)).toBe(7);
    endpoint.end('h0', true, 5_000);
    endpoint.begin('next', 5_000);
    endpoint.end('next', true, 5_010);
    expect(endpoint.getState(5_010)).toBe('steady');
  });

  it('a webhook endpoint that fails is tried one at a time, and then only now and then, up to 10 s apart', () => {
    const endpoint = createAnswered(6);
    let now = 0;
    const failOnce = () => {
      endpoint.begin('x', now);
      endpoint.end('x', false, now);
    };
    for (let i = 0; i < 4; i += 1) failOnce();
    expect(endpoint.countFreeSlots(now)).toBe(2);
    failOnce();
    const pauses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      const from = now;
      while (endpoint.countFreeSlots(now) === 0) now += 500;
      expect(endpoint.countFreeSlots(now)).toBeLessThanOrEqual(2);
      pauses.push(now - from);
      failOnce();
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
    endpoint.begin('y', now);
    endpoint.end('y', true, now);
    expect(endpoint.countFreeSlots(now)).toBe(2);
  });

  it('a webhook endpoint that fails many at once pauses as after one failure', () => {
    const endpoint = startHanging(createAnswered(6), 32, 10);
    for (let i = 0; i < 32; i += 1) endpoint.end(`h${i}`, false, 20);
    expect(endpoint.countFreeSlots(20)).toBe(0);
    expect(endpoint.countFreeSlots(1_020)).toBe(1);
  });
});

describe('the plan of claims', () => {
  const planFor = (endpoints: [string, Endpoint][], otherEndpoints: Endpoint[] = [], now = 2_000, concurrency = 64) =>
    planClaims([...endpoints.map(([, endpoint]) => endpoint), ...otherEndpoints], endpoints, { concurrency, now });

  it('the plan of claims gives a steady endpoint as many slots as it can use', () => {
    expect(planFor([['a', createAnswered(4)]])).toEqual({ requests: [{ webhookId: 'a', count: 16 }], isShort: false });
  });

  it('the plan of claims shares slots evenly, and reports when they do not suffice', () => {
    const { requests, isShort } = planFor([
      ['a', createAnswered(9)],
      ['b', createAnswered(9)],
      ['c', createAnswered(2)],
      ['d', createAnswered(9)],
    ]);
    expect(requests).toEqual([
      { webhookId: 'a', count: 16 },
      { webhookId: 'b', count: 16 },
      { webhookId: 'c', count: 4 },
      { webhookId: 'd', count: 28 },
    ]);
    expect(isShort).toBe(true);
  });

  it('the plan of claims finds slots for a steady endpoint and for a new one although others hang', () => {
    const dead = Array.from({ length: 64 }, () => startHanging(new Endpoint(false), 1, 0));
    const fell = startHanging(createAnswered(9), 32, 0);
    const { requests } = planFor(
      [
        ['well', createAnswered(3)],
        ['unknown', new Endpoint(false)],
      ],
      [...dead, fell],
    );
    expect(requests).toEqual([
      { webhookId: 'well', count: 8 },
      { webhookId: 'unknown', count: 1 },
    ]);
  });

  it('the plan of claims finds slots for a steady endpoint although very many others hang', () => {
    const dead = Array.from({ length: 400 }, () => startHanging(new Endpoint(false), 1, 0));
    const { requests } = planFor(
      [
        ['well', createAnswered(3)],
        ['unknown', new Endpoint(false)],
      ],
      dead,
    );
    expect(requests).toEqual([{ webhookId: 'well', count: 8 }]);
  });

  it('the plan of claims gives endpoints in trouble at most a quarter of the slots, those served longest ago first', () => {
    const failingEndpoints = Array.from({ length: 40 }, (_, index): [string, Endpoint] => {
      const endpoint = new Endpoint(true);
      endpoint.servedAt = 40 - index;
      return [`w${index}`, endpoint];
    });
    const { requests, isShort } = planFor(failingEndpoints);
    expect(requests).toHaveLength(16);
    expect(requests.map(({ webhookId }) => webhookId)).toEqual(
      failingEndpoints
        .map(([id]) => id)
        .reverse()
        .slice(0, 16),
    );
    expect(isShort).toBe(true);
  });

  it('the plan of claims claims nothing more for any endpoint beyond eight times the concurrency', () => {
    const fell = Array.from({ length: 16 }, () => startHanging(createAnswered(9), 32, 0));
    expect(planFor([['well', createAnswered(3)]], fell).requests).toEqual([]);
    expect(planFor([['well', createAnswered(3)]], fell.slice(1)).requests).toHaveLength(1);
  });
});
