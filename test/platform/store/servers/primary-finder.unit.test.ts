import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isOutcomeUnknown, isStoreUnreachable, isTimeout } from '../../../../src/platform/store/failures.js';
import { readHosts } from '../../../../src/platform/store/servers/hosts.js';
import { PrimaryFinder } from '../../../../src/platform/store/servers/primary-finder.js';

describe('readHosts', () => {
  it('splits a URL of several servers and wants the one that accepts writes', () => {
    expect(readHosts('postgresql://u:p%40@one:5432,[::1]:5433,three/shop?sslmode=require')).toEqual({
      urls: [
        'postgresql://u:p%40@one:5432/shop?sslmode=require',
        'postgresql://u:p%40@[::1]:5433/shop?sslmode=require',
        'postgresql://u:p%40@three/shop?sslmode=require',
      ],
      wanted: 'primary',
    });
  });

  it.each([
    ['postgres://one/shop?target_session_attrs=read-write', { urls: ['postgres://one/shop'], wanted: 'primary' }],
    [
      'postgres://one,two?target_session_attrs=primary&a=b',
      { urls: ['postgres://one?a=b', 'postgres://two?a=b'], wanted: 'primary' },
    ],
    [
      'postgres://one,two/x?target_session_attrs=any',
      { urls: ['postgres://one/x', 'postgres://two/x'], wanted: 'any' },
    ],
    ['postgres://one/shop', null],
    ['postgres:///shop?host=/run/postgresql', null],
    ['postgres://one,two/x?target_session_attrs=standby', undefined],
  ])('parses %s', (url, expected) => {
    expect(readHosts(url)).toEqual(expected);
  });
});

interface Server {
  timeline?: number;
  isReadOnly?: boolean;
  isAway?: boolean;
}

function createFinder(servers: Record<string, Server>, wanted: 'primary' | 'any' = 'primary') {
  const queriedHosts: string[] = [];
  const urls = Object.keys(servers).map((host) => `postgres://${host}/x`);
  const finder = new PrimaryFinder({ urls, wanted }, async (url) => {
    const { host } = new URL(url);
    queriedHosts.push(host);
    const { timeline = 0, isReadOnly = false, isAway } = servers[host] ?? {};
    if (isAway) throw new Error('refused');
    return { isStandby: timeline === 0, isReadOnly, timeline };
  });
  const find = async (withinMs: number) => (await finder.find(withinMs)).url;
  return { finder, find, queriedHosts, servers };
}

describe('the primary of several servers', () => {
  it('is the server that is not a standby, found in one search for all callers', async () => {
    const { find, queriedHosts } = createFinder({ one: {}, two: { timeline: 1 } });
    const urls = await Promise.all([find(0), find(0)]);
    expect(urls).toEqual(['postgres://two/x', 'postgres://two/x']);
    expect(await find(0)).toBe('postgres://two/x');
    expect(queriedHosts).toEqual(['one', 'two']);
  });

  it('is looked up again after a lost connection to it, not to another server', async () => {
    const { finder, find, servers } = createFinder({ one: { timeline: 1 }, two: {} });
    await find(0);
    servers.one = { isAway: true };
    servers.two = { timeline: 2 };
    finder.suspect('postgres://two/x');
    expect(await find(0)).toBe('postgres://one/x');
    finder.suspect('postgres://one/x');
    expect(await find(0)).toBe('postgres://two/x');
  });

  it('is the one with the later timeline if the former one comes back and accepts writes', async () => {
    const { find } = createFinder({ one: { timeline: 1 }, two: { timeline: 2 } });
    expect(await find(0)).toBe('postgres://two/x');
  });

  it('is looked up again after some time by a process without connections', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { find, servers } = createFinder({ one: { timeline: 1 }, two: {} });
    expect(await find(0)).toBe('postgres://one/x');
    servers.two = { timeline: 2 };
    vi.advanceTimersByTime(1_001);
    expect(await find(0)).toBe('postgres://two/x');
  });

  it('is never one with an earlier timeline than the latest known, even if that is unreachable', async () => {
    const { finder, find, servers } = createFinder({ one: { timeline: 1 }, two: { timeline: 2 } });
    await find(0);
    servers.two = { isAway: true };
    finder.suspect('postgres://two/x');
    await expect(find(0)).rejects.toThrow(
      'no server of the store accepts writes: one is outdated (timeline 1, latest 2); two does not respond (refused)',
    );
  });

  it('is waited for during a failover', async () => {
    const { find, servers } = createFinder({ one: { isAway: true }, two: {} });
    const search = find(5_000);
    setTimeout(() => Object.assign(servers, { two: { timeline: 2 } }), 300);
    expect(await search).toBe('postgres://two/x');
  });

  it('is not a read-only server, and the error means that the store is unreachable', async () => {
    const { find } = createFinder({ one: { timeline: 1, isReadOnly: true }, two: {} });
    const error = await find(0).catch((reason: unknown) => reason);
    expect(String(error)).toContain('one is set to read-only; two is a standby');
    expect(isStoreUnreachable(error)).toBe(true);
    expect(isOutcomeUnknown(error)).toBe(true);
  });
});

it('PrimaryFinder uses the first server that responds if any will do', async () => {
  const { find } = createFinder({ one: { isAway: true }, two: {}, three: { timeline: 1 } }, 'any');
  expect(await find(0)).toBe('postgres://two/x');
});

function createConnection(timeline: number) {
  const connection = {
    timeline,
    isWaiting: false,
    bytesReceived: 0,
    lost: null as Error | null,
    abandon: (error: Error) => {
      connection.lost = error;
    },
  };
  return connection;
}

describe('tracked connections to the primary', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    return () => vi.useRealTimers();
  });

  it('are closed when a server with a later timeline is found, except those to that server', async () => {
    const { finder, find, servers } = createFinder({ one: { timeline: 1 }, two: {} });
    await find(0);
    const [earlier, released] = [createConnection(1), createConnection(1)];
    finder.track(earlier);
    finder.track(released)();
    vi.advanceTimersByTime(1_001);
    await find(0);
    expect(earlier.lost).toBe(null);
    servers.two = { timeline: 2 };
    vi.advanceTimersByTime(1_001);
    await find(0);
    expect(isStoreUnreachable(earlier.lost) && isOutcomeUnknown(earlier.lost) && !isTimeout(earlier.lost)).toBe(true);
    expect(released.lost).toBe(null);
    const [later, delayed] = [createConnection(2), createConnection(1)];
    finder.track(later);
    finder.track(delayed);
    expect([later.lost, delayed.lost]).toEqual([null, expect.any(Error)]);
    expect({ moves: finder.moves, abandoned: finder.abandonedCount }).toEqual({ moves: 1, abandoned: 2 });
  });

  it('cause a search every three seconds while one waits without a response, otherwise every ten', async () => {
    const { finder, find, queriedHosts } = createFinder({ one: { timeline: 1 } });
    await find(0);
    const connection = createConnection(1);
    const release = finder.track(connection);
    /** Counts searches for the primary while the connection receives `bytes` more bytes every half second. */
    const countSearches = async (seconds: number, bytes: number) => {
      queriedHosts.length = 0;
      for (let half = 0; half < seconds * 2; half += 1) {
        connection.bytesReceived += bytes;
        await vi.advanceTimersByTimeAsync(500);
      }
      return queriedHosts.length;
    };
    expect(await countSearches(30, 0)).toBe(3);
    connection.isWaiting = true;
    expect(await countSearches(30, 1)).toBe(3);
    expect(await countSearches(30, 0)).toBe(10);
    release();
    expect(await countSearches(30, 0)).toBe(0);
  });

  it('are not closed if any server will do', async () => {
    const { finder, find, servers } = createFinder({ one: { timeline: 1 }, two: {} }, 'any');
    await find(0);
    const connection = createConnection(1);
    finder.track(connection);
    servers.one = { isAway: true };
    servers.two = { timeline: 2 };
    await vi.advanceTimersByTimeAsync(20_000);
    await find(0);
    expect(connection.lost).toBe(null);
  });
});
