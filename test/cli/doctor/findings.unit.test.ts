import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { formatBytes, formatCount, formatDuration, listSome } from '../../../src/cli/doctor/amounts.js';
import { checkPrepared, checkSlots } from '../../../src/cli/doctor/held-checks.js';
import { checkFreeSpace, checkOrphans } from '../../../src/cli/doctor/machine-checks.js';
import { evaluateRedis } from '../../../src/cli/doctor/queue-check.js';
import { checkBloat, checkClock, checkMigrations, evaluateServer } from '../../../src/cli/doctor/server-checks.js';
import type { StoreFacts } from '../../../src/platform/store/facts-store.js';

const HEALTHY: StoreFacts = {
  version: '18.1',
  encoding: 'UTF8',
  size: 12_345_678,
  connections: 20,
  maxConnections: 100,
  isReadOnly: false,
  unsafe: [],
  transactionAge: 1_000_000,
};

/** Lists the check and severity of each finding that is not `ok`. */
const listProblems = (findings: ReturnType<typeof evaluateServer>) =>
  findings.flatMap(({ check, severity, advice }) => {
    expect(advice === '').toBe(severity === 'ok');
    return severity === 'ok' ? [] : [[check, severity]];
  });

it('evaluateServer reports no problem for a healthy server', () => {
  expect(listProblems(evaluateServer(HEALTHY))).toEqual([]);
});

it.each<[Partial<StoreFacts>, string, string]>([
  [{ version: '14.9' }, 'store.version', 'error'],
  [{ encoding: 'LATIN1' }, 'store.encoding', 'error'],
  [{ isReadOnly: true }, 'store.writable', 'error'],
  [{ unsafe: ['fsync'] }, 'store.durability', 'warning'],
  [{ connections: 91 }, 'store.connections', 'warning'],
  [{ transactionAge: 1_200_000_000 }, 'store.freeze', 'warning'],
  [{ transactionAge: 1_900_000_000 }, 'store.freeze', 'error'],
])('evaluateServer reports %j', (facts, check, severity) => {
  expect(listProblems(evaluateServer({ ...HEALTHY, ...facts }))).toEqual([[check, severity]]);
});

it('checkBloat names tables with dead rows', async () => {
  const rows = [{ table: 'messages', live: 100_000, dead: 300_000 }];
  const [finding] = await checkBloat({ query: async () => ({ rows }) } as never);
  expect(finding).toMatchObject({
    check: 'store.bloat',
    severity: 'warning',
    text: expect.stringContaining('messages (75 %)'),
  });
});

it.each([
  [599, []],
  [600, [['store.prepared', 'warning']]],
  [21_600, [['store.prepared', 'error']]],
])('checkPrepared reports a transaction prepared %d seconds ago by its age', async (seconds, expected) => {
  const rows = [{ name: "it's mine", seconds }];
  const findings = await checkPrepared({ query: async () => ({ rows }) } as never);
  expect(listProblems(findings)).toEqual(expected);
  for (const { advice } of findings) expect(advice).toContain("ROLLBACK PREPARED 'it''s mine'");
});

it('checkSlots reports replication slots that retain much of the write-ahead log', async () => {
  const rows = [
    { name: 'forgotten', isRead: false, retainedBytes: 10e9 },
    { name: 'slow', isRead: true, retainedBytes: 1e9 },
    { name: 'quick', isRead: true, retainedBytes: 1e9 - 1 },
  ];
  const findings = await checkSlots({ query: async () => ({ rows }) } as never);
  expect(listProblems(findings)).toEqual([
    ['store.slots', 'error'],
    ['store.slots', 'warning'],
  ]);
  expect(findings.map(({ text }) => text)).toEqual([
    'The replication slot forgotten retains 10.0 GB of the write-ahead log, because nothing reads it.',
    'The replication slot slow retains 1.0 GB of the write-ahead log, because its reader lags behind.',
  ]);
});

it('checkClock compares clocks, allowing for the duration of the query', async () => {
  const check = async (ms: number) => {
    const times = [10_000, 12_000];
    const pool = { query: async () => ({ rows: [{ ms }] }) } as never;
    const [finding] = await checkClock(pool, () => times.shift() as number);
    return [finding?.severity, finding?.text];
  };
  expect(await check(10_500)).toEqual(['ok', expect.any(String)]);
  expect(await check(14_500)).toEqual([
    'warning',
    'The clock of this machine is 2.5 s behind the clock of the database.',
  ]);
  expect(await check(-50_000)).toEqual([
    'error',
    'The clock of this machine is 60.0 s ahead of the clock of the database.',
  ]);
});

it('checkMigrations reports missing migrations and those of a later version', () => {
  expect(listProblems(checkMigrations({ pending: [], unknown: [] }))).toEqual([]);
  expect(listProblems(checkMigrations(null))).toEqual([['store.migrations', 'warning']]);
  expect(listProblems(checkMigrations({ pending: ['2'], unknown: [] }))).toEqual([['store.migrations', 'warning']]);
  expect(listProblems(checkMigrations({ pending: [], unknown: ['9'] }))).toEqual([['store.migrations', 'error']]);
  expect(listProblems(checkMigrations({ pending: [], unknown: ['9'] }, true))).toEqual([
    ['store.migrations', 'warning'],
  ]);
});

it('evaluateRedis reports problems in the INFO response of Redis', () => {
  const info = (policy: string, aof: string, role = 'master') =>
    `redis_version:8.0.1\r\nmaxmemory_policy:${policy}\r\naof_enabled:${aof}\r\nrole:${role}\r\n`;
  expect(listProblems(evaluateRedis(info('noeviction', '1')))).toEqual([]);
  expect(listProblems(evaluateRedis(info('allkeys-lru', '0', 'slave')))).toEqual([
    ['queue.policy', 'error'],
    ['queue.durability', 'warning'],
    ['queue.writable', 'error'],
  ]);
});

it('checkFreeSpace warns about low disk space', () => {
  const GB = 1e9;
  expect(checkFreeSpace('/data', { free: 50 * GB, size: 100 * GB })).toMatchObject({ severity: 'ok', advice: '' });
  expect(checkFreeSpace('/data', { free: 4 * GB, size: 100 * GB }).severity).toBe('warning');
  expect(checkFreeSpace('/data', { free: 0.1 * GB, size: 1 * GB })).toMatchObject({
    severity: 'error',
    text: '100 MB of 1.0 GB are free on the disk of /data.',
  });
});

it('checkOrphans reports clusters without a DATA_DIR', async () => {
  const clusters = mkdtempSync(join(tmpdir(), 'heliograph-clusters-'));
  onTestFinished(() => rmSync(clusters, { recursive: true }));
  expect(await checkOrphans(clusters)).toEqual([]);
  mkdirSync(join(clusters, 'abc', 'global'), { recursive: true });
  writeFileSync(join(clusters, 'abc', 'global', 'pg_control'), 'x');
  const [finding] = await checkOrphans(clusters);
  expect(finding).toMatchObject({ check: 'places.orphans', severity: 'warning' });
  expect(finding?.text).toContain(join(clusters, 'abc'));
});

it('amounts are formatted with units', () => {
  expect([formatBytes(0), formatBytes(999), formatBytes(1_500), formatBytes(123_456_789_012)]).toEqual([
    '0 bytes',
    '999 bytes',
    '1.5 kB',
    '123 GB',
  ]);
  expect([
    formatDuration(1),
    formatDuration(59.9),
    formatDuration(60),
    formatDuration(7_300),
    formatDuration(200_000),
  ]).toEqual(['1 second', '59 seconds', '1 minute', '2 hours', '2 days']);
  expect([formatCount(1, 'key'), formatCount(12_345, 'key')]).toEqual(['1 key', '12,345 keys']);
  expect(listSome(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
});
