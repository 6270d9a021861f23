import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isStoreAway, outcomeUnknown, wasSilent } from '../../../../src/platform/store/failures.js';
import { readHosts } from '../../../../src/platform/store/reaching/hosts.js';
import { PrimaryFinder } from '../../../../src/platform/store/reaching/primary-finder.js';

describe('a URL of several servers', () => {
  it('is one URL for each, and the one that takes writes is wanted', () => {
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
  ])('%s', (url, read) => {
    expect(readHosts(url)).toEqual(read);
  });
});

interface Server {
  timeline?: number;
  isReadOnly?: boolean;
  isAway?: boolean;
}

/** Servers by host that are what a test makes of them, and what looks for the primary among them. */
function among(servers: Record<string, Server>, wanted: 'primary' | 'any' = 'primary') {
  const asked: string[] = [];
  const urls = Object.keys(servers).map((host) => `postgres://${host}/x`);
  const finder = new PrimaryFinder({ urls, wanted }, async (url) => {
    const { host } = new URL(url);
    asked.push(host);
    const { timeline = 0, isReadOnly = false, isAway } = servers[host] ?? {};
    if (isAway) throw new Error('refused');
    return { isStandby: timeline === 0, isReadOnly, timeline };
  });
  const find = async (withinMs: number) => (await finder.find(withinMs)).url;
  return { finder, find, asked, servers };
}

describe('the primary', () => {
  it('is the server that is no standby, and is asked for once for all', async () => {
    const { find, asked } = among({ one: {}, two: { timeline: 1 } });
    const found = await Promise.all([find(0), find(0)]);
    expect(found).toEqual(['postgres://two/x', 'postgres://two/x']);
    expect(await find(0)).toBe('postgres://two/x');
    expect(asked).toEqual(['one', 'two']);
  });

  it('is looked for anew when a connection to it was lost, and not for one to another', async () => {
    const { finder, find, servers } = among({ one: { timeline: 1 }, two: {} });
    await find(0);
    servers.one = { isAway: true };
    servers.two = { timeline: 2 };
    finder.suspect('postgres://two/x');
    expect(await find(0)).toBe('postgres://one/x');
    finder.suspect('postgres://one/x');
    expect(await find(0)).toBe('postgres://two/x');
  });

  it('is the later one where the one of before came back and takes writes too', async () => {
    const { find } = among({ one: { timeline: 1 }, two: { timeline: 2 } });
    expect(await find(0)).toBe('postgres://two/x');
  });

  it('is looked for anew by a process that lost no connection, for it had none, when some time has passed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { find, servers } = among({ one: { timeline: 1 }, two: {} });
    expect(await find(0)).toBe('postgres://one/x');
    servers.two = { timeline: 2 };
    vi.advanceTimersByTime(1_001);
    expect(await find(0)).toBe('postgres://two/x');
  });

  it('is never an earlier one than was seen, though the later one is away', async () => {
    const { finder, find, servers } = among({ one: { timeline: 1 }, two: { timeline: 2 } });
    await find(0);
    servers.two = { isAway: true };
    finder.suspect('postgres://two/x');
    await expect(find(0)).rejects.toThrow(
      'no server of the store takes writes: one was left behind (timeline 1, and 2 was seen); two does not answer (refused)',
    );
  });

  it('is waited for while another takes over', async () => {
    const { find, servers } = among({ one: { isAway: true }, two: {} });
    const found = find(5_000);
    setTimeout(() => Object.assign(servers, { two: { timeline: 2 } }), 300);
    expect(await found).toBe('postgres://two/x');
  });

  it('is none that is set to be read-only, and what is thrown then says that the store is away', async () => {
    const { find } = among({ one: { timeline: 1, isReadOnly: true }, two: {} });
    const error = await find(0).catch((reason: unknown) => reason);
    expect(String(error)).toContain('one is set to be read-only; two is a standby');
    expect(isStoreAway(error)).toBe(true);
    expect(outcomeUnknown(error)).toBe(true);
  });
});

it('takes the first that answers where any will do', async () => {
  const { find } = among({ one: { isAway: true }, two: {}, three: { timeline: 1 } }, 'any');
  expect(await find(0)).toBe('postgres://two/x');
});

/** A connection of which a test says what it does. */
function connectionTo(timeline: number) {
  const connection = {
    timeline,
    isWaiting: false,
    bytesHeard: 0,
    lost: null as Error | null,
    abandon: (error: Error) => {
      connection.lost = error;
    },
  };
  return connection;
}

describe('connections to the primary', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    return () => vi.useRealTimers();
  });

  it('end when a server of a later timeline is found, and not before, nor those that lead there', async () => {
    const { finder, find, servers } = among({ one: { timeline: 1 }, two: {} });
    await find(0);
    const [earlier, left] = [connectionTo(1), connectionTo(1)];
    finder.hold(earlier);
    finder.hold(left)();
    vi.advanceTimersByTime(1_001);
    await find(0);
    expect(earlier.lost).toBe(null);
    servers.two = { timeline: 2 };
    vi.advanceTimersByTime(1_001);
    await find(0);
    expect(isStoreAway(earlier.lost) && outcomeUnknown(earlier.lost) && !wasSilent(earlier.lost)).toBe(true);
    expect(left.lost).toBe(null);
    const [later, late] = [connectionTo(2), connectionTo(1)];
    finder.hold(later);
    finder.hold(late);
    expect([later.lost, late.lost]).toEqual([null, expect.any(Error)]);
    expect({ moves: finder.moves, abandoned: finder.abandoned }).toEqual({ moves: 1, abandoned: 2 });
  });

  it('have it looked for every three seconds while one of them waits in silence, else every ten', async () => {
    const { finder, find, asked } = among({ one: { timeline: 1 } });
    await find(0);
    const connection = connectionTo(1);
    const release = finder.hold(connection);
    /** How often it is looked for in so many seconds, each half of which something is heard or not. */
    const looks = async (seconds: number, bytes: number) => {
      asked.length = 0;
      for (let half = 0; half < seconds * 2; half += 1) {
        connection.bytesHeard += bytes;
        await vi.advanceTimersByTimeAsync(500);
      }
      return asked.length;
    };
    expect(await looks(30, 0)).toBe(3);
    connection.isWaiting = true;
    expect(await looks(30, 1)).toBe(3);
    expect(await looks(30, 0)).toBe(10);
    release();
    expect(await looks(30, 0)).toBe(0);
  });

  it('are let be where any server will do', async () => {
    const { finder, find, servers } = among({ one: { timeline: 1 }, two: {} }, 'any');
    await find(0);
    const connection = connectionTo(1);
    finder.hold(connection);
    servers.one = { isAway: true };
    servers.two = { timeline: 2 };
    await vi.advanceTimersByTimeAsync(20_000);
    await find(0);
    expect(connection.lost).toBe(null);
  });
});
