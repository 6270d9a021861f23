import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { counted, inBytes, inTime, someOf } from '../../../src/cli/doctor/amounts.js';
import { checkPrepared, checkSlots } from '../../../src/cli/doctor/held-checks.js';
import { checkOrphans, roomFinding } from '../../../src/cli/doctor/machine-checks.js';
import { findingsOfRedis } from '../../../src/cli/doctor/queue-check.js';
import { checkBloat, checkClock, checkMigrations, findingsOf } from '../../../src/cli/doctor/server-checks.js';
import type { StoreFacts } from '../../../src/platform/store/facts-store.js';

const WELL: StoreFacts = {
  version: '18.1',
  encoding: 'UTF8',
  size: 12_345_678,
  connections: 20,
  maxConnections: 100,
  isReadOnly: false,
  unsafe: [],
  transactionAge: 1_000_000,
};

/** The findings that are not ok. */
const wrong = (findings: ReturnType<typeof findingsOf>) =>
  findings.flatMap(({ check, severity, advice }) => {
    expect(advice === '').toBe(severity === 'ok');
    return severity === 'ok' ? [] : [[check, severity]];
  });

it('finds nothing wrong with a server that is well', () => {
  expect(wrong(findingsOf(WELL))).toEqual([]);
});

it.each<[Partial<StoreFacts>, string, string]>([
  [{ version: '14.9' }, 'store.version', 'error'],
  [{ encoding: 'LATIN1' }, 'store.encoding', 'error'],
  [{ isReadOnly: true }, 'store.writable', 'error'],
  [{ unsafe: ['fsync'] }, 'store.durability', 'warning'],
  [{ connections: 91 }, 'store.connections', 'warning'],
  [{ transactionAge: 1_200_000_000 }, 'store.freeze', 'warning'],
  [{ transactionAge: 1_900_000_000 }, 'store.freeze', 'error'],
])('finds %j', (facts, check, severity) => {
  expect(wrong(findingsOf({ ...WELL, ...facts }))).toEqual([[check, severity]]);
});

it('tells dead rows by table', async () => {
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
])('tells of a transaction that was prepared %d seconds ago', async (seconds, found) => {
  const rows = [{ name: "it's mine", seconds }];
  const findings = await checkPrepared({ query: async () => ({ rows }) } as never);
  expect(wrong(findings)).toEqual(found);
  for (const { advice } of findings) expect(advice).toContain("ROLLBACK PREPARED 'it''s mine'");
});

it('tells of replication slots that keep much of the write-ahead log, and whether anybody reads them', async () => {
  const rows = [
    { name: 'forgotten', isRead: false, kept: 10e9 },
    { name: 'slow', isRead: true, kept: 1e9 },
    { name: 'quick', isRead: true, kept: 1e9 - 1 },
  ];
  const findings = await checkSlots({ query: async () => ({ rows }) } as never);
  expect(wrong(findings)).toEqual([
    ['store.slots', 'error'],
    ['store.slots', 'warning'],
  ]);
  expect(findings.map(({ text }) => text)).toEqual([
    'The replication slot forgotten keeps 10.0 GB of the write-ahead log, and nobody reads it.',
    'The replication slot slow keeps 1.0 GB of the write-ahead log, and its reader lags behind.',
  ]);
});

it('compares clocks, whenever the answer was made within the time that the question took', async () => {
  const at = async (ms: number) => {
    const times = [10_000, 12_000];
    const pool = { query: async () => ({ rows: [{ ms }] }) } as never;
    const [finding] = await checkClock(pool, () => times.shift() as number);
    return [finding?.severity, finding?.text];
  };
  expect(await at(10_500)).toEqual(['ok', expect.any(String)]);
  expect(await at(14_500)).toEqual(['warning', "This machine's clock is 2.5 s behind the database's."]);
  expect(await at(-50_000)).toEqual(['error', "This machine's clock is 60.0 s ahead of the database's."]);
});

it('tells migrations that are missing, or of a later version', () => {
  expect(wrong(checkMigrations({ pending: [], unknown: [] }))).toEqual([]);
  expect(wrong(checkMigrations(null))).toEqual([['store.migrations', 'warning']]);
  expect(wrong(checkMigrations({ pending: ['2'], unknown: [] }))).toEqual([['store.migrations', 'warning']]);
  expect(wrong(checkMigrations({ pending: [], unknown: ['9'] }))).toEqual([['store.migrations', 'error']]);
  expect(wrong(checkMigrations({ pending: [], unknown: ['9'] }, true))).toEqual([['store.migrations', 'warning']]);
});

it('reads what Redis says of itself', () => {
  const info = (policy: string, aof: string, role = 'master') =>
    `redis_version:8.0.1\r\nmaxmemory_policy:${policy}\r\naof_enabled:${aof}\r\nrole:${role}\r\n`;
  expect(wrong(findingsOfRedis(info('noeviction', '1')))).toEqual([]);
  expect(wrong(findingsOfRedis(info('allkeys-lru', '0', 'slave')))).toEqual([
    ['queue.policy', 'error'],
    ['queue.durability', 'warning'],
    ['queue.writable', 'error'],
  ]);
});

it('wants room on the disk', () => {
  const GB = 1e9;
  expect(roomFinding('/data', { free: 50 * GB, size: 100 * GB })).toMatchObject({ severity: 'ok', advice: '' });
  expect(roomFinding('/data', { free: 4 * GB, size: 100 * GB }).severity).toBe('warning');
  expect(roomFinding('/data', { free: 0.1 * GB, size: 1 * GB })).toMatchObject({
    severity: 'error',
    text: '100 MB of 1.0 GB are free where /data lies.',
  });
});

it('tells of clusters that no DATA_DIR leads to', async () => {
  const clusters = mkdtempSync(join(tmpdir(), 'heliograph-clusters-'));
  onTestFinished(() => rmSync(clusters, { recursive: true }));
  expect(await checkOrphans(clusters)).toEqual([]);
  mkdirSync(join(clusters, 'abc', 'global'), { recursive: true });
  writeFileSync(join(clusters, 'abc', 'global', 'pg_control'), 'x');
  const [finding] = await checkOrphans(clusters);
  expect(finding).toMatchObject({ check: 'places.orphans', severity: 'warning' });
  expect(finding?.text).toContain(join(clusters, 'abc'));
});

it('words amounts', () => {
  expect([inBytes(0), inBytes(999), inBytes(1_500), inBytes(123_456_789_012)]).toEqual([
    '0 bytes',
    '999 bytes',
    '1.5 kB',
    '123 GB',
  ]);
  expect([inTime(1), inTime(59.9), inTime(60), inTime(7_300), inTime(200_000)]).toEqual([
    '1 second',
    '59 seconds',
    '1 minute',
    '2 hours',
    '2 days',
  ]);
  expect([counted(1, 'key'), counted(12_345, 'key')]).toEqual(['1 key', '12,345 keys']);
  expect(someOf(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
});
