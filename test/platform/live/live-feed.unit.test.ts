import type pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveFeed } from '../../../src/platform/live/live-feed.js';

describe('LiveFeed', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function createFeed(answer: () => Promise<unknown> = async () => undefined) {
    const payloads: Record<string, string[]>[] = [];
    const query = ({ values }: { values: string[] }) => {
      payloads.push(JSON.parse(values[0] as string));
      return answer();
    };
    return { live: new LiveFeed({ pool: { query } as unknown as pg.Pool, log: pino({ level: 'silent' }) }), payloads };
  }

  it('publishes at most five times a second and loses no topic', async () => {
    const { live, payloads } = createFeed();
    for (let moment = 0; moment < 1_000; moment += 10) {
      live.markStale(`account ${moment % 3}`, ['messages', moment < 500 ? 'overview' : 'webhooks']);
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(payloads.length).toBeGreaterThan(2);
    expect(payloads.length).toBeLessThanOrEqual(5);
    for (const payload of payloads) expect(Object.keys(payload)).toHaveLength(3);
    expect(payloads[0]?.['account 0']).toEqual(['messages', 'overview']);
    expect(payloads.at(-1)?.['account 0']).toEqual(['messages', 'webhooks']);
    await vi.advanceTimersByTimeAsync(10_000);
    const count = payloads.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(payloads.length).toBe(count);
  });

  it('publishes again only after the previous statement has ended, even by failing', async () => {
    let endQuery: (error?: Error) => void = () => undefined;
    const { live, payloads } = createFeed(
      () => new Promise<void>((resolve, reject) => (endQuery = (error) => (error ? reject(error) : resolve()))),
    );
    live.markStale('one', ['messages']);
    await vi.advanceTimersByTimeAsync(200);
    live.markStale('two', ['messages']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(payloads).toEqual([{ one: ['messages'] }]);
    endQuery(new Error('the store is away'));
    await vi.advanceTimersByTimeAsync(200);
    expect(payloads).toEqual([{ one: ['messages'] }, { two: ['messages'] }]);
  });

  it('publishes that everything is stale if the topics exceed the size of a notification', async () => {
    const { live, payloads } = createFeed();
    for (let count = 0; count < 1_000; count += 1) live.markStale(crypto.randomUUID(), ['messages']);
    await vi.advanceTimersByTimeAsync(200);
    expect(payloads).toEqual([{ '*': ['*'] }]);
  });

  it('publishes nothing after it is closed', async () => {
    const { live, payloads } = createFeed();
    live.markStale('one', ['messages']);
    await live.close();
    live.markStale('one', ['messages']);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(payloads).toEqual([]);
  });
});
