import { expect, it } from 'vitest';
import { buildKeyPrefix } from '../../src/platform/redis/connections.js';
import { describeRedisTarget, readRedisUrl } from '../../src/platform/redis/url.js';

it('readRedisUrl parses a URL of Sentinels', () => {
  const url =
    'rediss+sentinel://worker:s%40cret@one:26380,two,[::1]:5/main/3?sentinelUsername=s&sentinelPassword=p%20w';
  expect(readRedisUrl(url)).toEqual({
    kind: 'sentinel',
    hosts: [
      { host: 'one', port: 26380 },
      { host: 'two', port: 26379 },
      { host: '::1', port: 5 },
    ],
    name: 'main',
    db: 3,
    username: 'worker',
    password: 's@cret',
    sentinelUsername: 's',
    sentinelPassword: 'p w',
    isEncrypted: true,
  });
});

it('readRedisUrl parses a URL of a cluster, and descriptions contain no password', () => {
  const cluster = readRedisUrl('redis+cluster://:secret@one,two:7000');
  expect(cluster).toMatchObject({ kind: 'cluster', name: '', db: 0, password: 'secret', isEncrypted: false });
  const sentinel = readRedisUrl('redis+sentinel://u:secret@one,two/main/2');
  if (!cluster || !sentinel) throw new Error('a URL was not parsed');
  expect(describeRedisTarget(cluster)).toBe('the cluster of one:6379,two:7000');
  expect(describeRedisTarget(sentinel)).toBe('main as the Sentinels at one:26379,two:26379 know it/2');
});

it.each([
  'redis://one:6379',
  'redis+sentinel://one:26379',
  'redis+sentinel://one:26379/main/x',
  'redis+sentinel://one:26379/main/1/2',
  'redis+sentinel://one:99999/main',
  'redis+sentinel://one,/main',
  'redis+sentinel://u:%zz@one/main',
  'redis+sentinel://one/main?db=1',
  'redis+cluster://one/1',
  'redis+cluster://one?sentinelPassword=x',
  'redis+other://one',
])('readRedisUrl rejects %s', (url) => {
  expect(readRedisUrl(url)).toBeNull();
});

it('keyPrefix adds a hash tag for a cluster only', () => {
  expect(buildKeyPrefix('redis+cluster://one', 'heliograph')).toBe('{heliograph}');
  expect(buildKeyPrefix('redis+cluster://one', '{mine}.x')).toBe('{mine}.x');
  expect(buildKeyPrefix('redis://one', 'heliograph')).toBe('heliograph');
  expect(buildKeyPrefix('redis+sentinel://one/main', 'heliograph')).toBe('heliograph');
});
