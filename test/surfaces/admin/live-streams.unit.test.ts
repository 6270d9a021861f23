import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SignedIn } from '../../../src/accounts/operators/sessions/sessions.js';
import { type LiveStream, LiveStreams } from '../../../src/surfaces/admin/endpoints/live/streams.js';

const STREAMS = 50;

describe('LiveStreams', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openStreams() {
    const queries: (readonly string[])[] = [];
    const sessions = new Set<string>();
    const state = { isStoreAway: false };
    const streams = new LiveStreams({
      findByIds: async (ids) => {
        queries.push(ids);
        if (state.isStoreAway) throw new Error('the store is away');
        const liveSessions = ids.filter((id) => sessions.has(id));
        return new Map(liveSessions.map((id) => [id, {} as SignedIn]));
      },
    });
    const pushed: string[] = [];
    const endedSessions: string[] = [];
    const pages = Array.from({ length: STREAMS }, (_, index): LiveStream => {
      const sessionId = `session ${index}`;
      sessions.add(sessionId);
      return {
        sessionId,
        mayContinue: () => true,
        push: () => void pushed.push(sessionId),
        onEnd: () => void endedSessions.push(sessionId),
      };
    });
    for (const page of pages) streams.open(page, []);
    const notifyAll = () => {
      for (const page of pages) streams.add(page, ['messages']);
    };
    return { streams, pages, sessions, state, queries, pushed, endedSessions, notifyAll };
  }

  it('checks all sessions in one query every two seconds', async () => {
    const { queries, endedSessions, streams } = openStreams();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(queries.map(({ length }) => length)).toEqual([STREAMS]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(queries).toHaveLength(2);
    expect(endedSessions).toEqual([]);
    streams.endAll();
    expect(endedSessions).toHaveLength(STREAMS);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(queries).toHaveLength(2);
  });

  it('checks the streams that get a notice in one query, at most every half second', async () => {
    const { queries, pushed, notifyAll } = openStreams();
    for (let elapsedMs = 0; elapsedMs < 1_000; elapsedMs += 10) {
      notifyAll();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(queries.length).toBeLessThanOrEqual(3);
    expect(pushed).toHaveLength(queries.length * STREAMS);
  });

  it('checks only the sessions of streams that get a notice', async () => {
    const { queries, pages, streams, pushed } = openStreams();
    streams.add(pages[7] as LiveStream, ['messages']);
    await vi.advanceTimersByTimeAsync(0);
    expect(queries).toEqual([['session 7']]);
    expect(pushed).toEqual(['session 7']);
  });

  it('ends a stream whose session has ended, without a notice', async () => {
    const { sessions, pushed, endedSessions, notifyAll } = openStreams();
    sessions.delete('session 3');
    notifyAll();
    await vi.advanceTimersByTimeAsync(0);
    expect(endedSessions).toEqual(['session 3']);
    expect(pushed).toHaveLength(STREAMS - 1);
    expect(pushed).not.toContain('session 3');
  });

  it('ends a stream within two seconds of its session, even without a notice', async () => {
    const { sessions, endedSessions, queries } = openStreams();
    sessions.delete('session 3');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(endedSessions).toEqual(['session 3']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(queries.at(-1)).toHaveLength(STREAMS - 1);
  });

  it('ends all streams if the store is unavailable', async () => {
    const { state, pushed, endedSessions, notifyAll } = openStreams();
    state.isStoreAway = true;
    notifyAll();
    await vi.advanceTimersByTimeAsync(0);
    expect([endedSessions.length, pushed]).toEqual([STREAMS, []]);
  });

  it('ends a stream whose connection is closed, and notifies the others', async () => {
    const { pages, pushed, endedSessions, notifyAll } = openStreams();
    (pages[0] as LiveStream).push = () => {
      throw new Error('the connection has gone');
    };
    notifyAll();
    await vi.advanceTimersByTimeAsync(0);
    expect(endedSessions).toEqual(['session 0']);
    expect(pushed).toHaveLength(STREAMS - 1);
  });
});
