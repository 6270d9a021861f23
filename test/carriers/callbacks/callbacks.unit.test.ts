import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type ClaimedCallback,
  claimCallbacks,
  releaseCallbacks,
} from '../../../src/carriers/callbacks/callback-store.js';
import { CallbackIntake } from '../../../src/carriers/callbacks/intake.js';
import { CallbackRunner } from '../../../src/carriers/callbacks/runner.js';
import { ReportSeal } from '../../../src/carriers/callbacks/unmatched/report-seal.js';
import type { UnmatchedReason, UnmatchedReport } from '../../../src/carriers/callbacks/unmatched/unmatched-report.js';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { openPool } from '../../../src/platform/store/connections/pool.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { suiteStore } from '../../support/for-suite.js';
import { openTestStore } from '../../support/open-test-store.js';
import { waitFor } from '../../support/wait-for.js';

const store = suiteStore();
let intake: CallbackIntake;
let logLines: string[];
let runners: CallbackRunner[];
let commits: number;

beforeEach(() => {
  logLines = [];
  runners = [];
  commits = 0;
  intake = new CallbackIntake({ pool: store.pool });
  intake.commitListeners.add(() => {
    commits += 1;
    for (const runner of runners) runner.wake();
  });
});
afterEach(async () => {
  for (const runner of runners) await runner.stop();
  await store.pool.query('TRUNCATE carrier_callbacks, kept_reports');
});

const count = async (condition = 'true') =>
  (await store.pool.query(`SELECT count(*)::int AS n FROM carrier_callbacks WHERE ${condition}`)).rows[0].n as number;
/**
 * SQL condition for callbacks that were postponed after a failed attempt. Claimed callbacks do not match, because a claim's
 * lease is longer than 30 seconds.
 */
const POSTPONED = "attempts >= 1 AND lease_until < now() + interval '30 seconds'";
const storeCallbacks = (...bodies: string[]) =>
  Promise.all(bodies.map((body) => intake.store({ carrier: 'meta', body: Buffer.from(body) })));

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function countReadRows({ 'Actual Rows': rows, 'Actual Loops': loops, Plans = [], ...node }: PlanNode): number {
  const ownRows = (rows + (node['Rows Removed by Filter'] ?? 0)) * loops;
  return Plans.reduce((sum, plan) => sum + countReadRows(plan), ownRows);
}

function startRunner(apply: (batch: readonly ClaimedCallback[]) => Promise<unknown>): CallbackRunner {
  const log = pino({ level: 'info' }, { write: (line: string) => void logLines.push(line) });
  const runner = new CallbackRunner({
    pool: store.pool,
    log,
    seal: new ReportSeal(['a secret of at least thirty-two characters']),
    apply: async (batch) => {
      const unusedReports = await apply(batch);
      return Array.isArray(unusedReports) ? unusedReports : [];
    },
  });
  runners.push(runner);
  runner.start();
  return runner;
}

const readBody = ({ body }: { body: Buffer }) => body.toString('utf8');

describe('CallbackIntake', () => {
  it('the callback intake stores bodies byte for byte and in order, many in one commit', async () => {
    const bodies = Array.from({ length: 300 }, (_, index) =>
      Buffer.from([index & 255, 0, 255, 39, 92, 34, index >> 8]),
    );
    bodies.push(Buffer.alloc(0), Buffer.alloc(2_000_000, 7), Buffer.from('{"ä":"👋"}'));
    await Promise.all(bodies.map((body) => intake.store({ carrier: 'meta', body })));
    const { rows } = await store.pool.query('SELECT carrier, body, attempts FROM carrier_callbacks ORDER BY id');
    expect(rows).toHaveLength(bodies.length);
    expect(rows.every((row, index) => row.body.equals(bodies[index]) && row.attempts === 0)).toBe(true);
    expect(commits).toBeLessThan(5);
  });

  it('the callback intake rejects if a callback cannot be stored', async () => {
    const brokenStore = await openTestStore();
    const brokenIntake = new CallbackIntake({ pool: brokenStore.pool });
    await brokenStore.pool.query('ALTER TABLE carrier_callbacks RENAME TO elsewhere');
    await expect(brokenIntake.store({ carrier: 'meta', body: Buffer.from('{}') })).rejects.toThrow(/carrier_callbacks/);
    await brokenStore.close();
  });
});

describe('CallbackRunner', () => {
  it('the callback runner processes stored callbacks, and new ones without delay', async () => {
    await storeCallbacks('1', '2', '3');
    const processed: string[] = [];
    startRunner(async (batch) => void processed.push(...batch.map(readBody)));
    await waitFor('the first', () => processed.length === 3);
    // With fake timers, the runner never polls, so only a new callback can wake it.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      for (const text of ['4', '5', '6', '7', '8']) {
        await storeCallbacks(text);
        await waitFor('the next', () => processed.at(-1) === text);
      }
    } finally {
      vi.useRealTimers();
    }
    expect(processed).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    await waitFor('an empty table', async () => (await count()) === 0);
  });

  it('the callback runner shares callbacks with other runners', async () => {
    const processed: string[][] = [[], []];
    await storeCallbacks(...Array.from({ length: 2_500 }, (_, index) => String(index)));
    for (const processedByRunner of processed)
      startRunner(async (batch) => void processedByRunner.push(...batch.map(readBody)));
    await waitFor('an empty table', async () => (await count()) === 0);
    const allProcessed = processed.flat();
    expect(allProcessed).toHaveLength(2_500);
    expect(new Set(allProcessed).size).toBe(2_500);
  });

  it('the callback runner isolates a callback that fails, and does not log its text', async () => {
    const processed = new Set<string>();
    await storeCallbacks('a', 'a secret text', 'b');
    startRunner(async (batch) => {
      if (batch.some((callback) => readBody(callback).includes('secret'))) throw new Error('bad: a secret text');
      for (const callback of batch) processed.add(readBody(callback));
    });
    await waitFor('the postponed one', () => count(POSTPONED));
    await waitFor('the others to be gone', async () => (await count()) === 1);
    expect([...processed]).toEqual(['a', 'b']);
    for (const line of logLines) expect(JSON.parse(line).msg).toMatch(/will be retried/);
    expect(logLines).not.toEqual([]);
    expect(logLines.join()).not.toContain('secret');
    await storeCallbacks('c');
    await waitFor('the next', () => processed.has('c'));
  });

  it('the callback runner claims large callbacks in small batches, so that each is processed within its lease', async () => {
    const sizes = [10, 700_000, 700_000, 10, 3_000_000, 10];
    for (const size of sizes) await storeCallbacks('x'.repeat(size));
    const claimedSizes: number[][] = [];
    for (let batch = await claimCallbacks(store.pool, 10); batch.length > 0; ) {
      claimedSizes.push(batch.map(({ body }) => body.length));
      batch = await claimCallbacks(store.pool, 10);
    }
    expect(claimedSizes).toEqual([[10, 700_000, 700_000], [10, 3_000_000], [10]]);
  });

  it('the callback runner retries a callback about an unknown message before it stores unmatched reports', async () => {
    const listStoredReports = async () => (await store.pool.query('SELECT kind FROM kept_reports ORDER BY kind')).rows;
    await storeCallbacks('late', 'strange');
    const createReport = (
      { id, carrier, body, receivedAt }: ClaimedCallback,
      reason: UnmatchedReason,
    ): UnmatchedReport => ({
      ...{ callbackId: id, carrier, body, receivedAt, reason, channelId: null, ids: [] },
      kind: `${readBody({ body })}:${reason}`,
    });
    startRunner(async (batch) =>
      batch.flatMap((callback) => [
        ...(readBody(callback) === 'late' ? [createReport(callback, 'no-message')] : []),
        createReport(callback, 'unknown'),
      ]),
    );
    await waitFor('the other report to be stored', async () => (await listStoredReports()).length === 1);
    expect(await listStoredReports()).toEqual([{ kind: 'strange:unknown' }]);
    await waitFor('the callback to be postponed', () => count(POSTPONED));
    await store.pool.query('UPDATE carrier_callbacks SET attempts = 5, lease_until = NULL');
    await waitFor('the callback to be postponed again', () => count('lease_until > now() AND attempts = 6'));
    expect(await listStoredReports()).toHaveLength(1);
    await store.pool.query('UPDATE carrier_callbacks SET lease_until = NULL');
    await waitFor('the callback to be given up', async () => (await count()) === 0);
    const kinds = (await listStoredReports()).map(({ kind }) => kind);
    expect(kinds).toEqual(['late:no-message', 'late:unknown', 'strange:unknown']);
  });

  it('the callback runner sets a callback aside after ten failures', async () => {
    await storeCallbacks('bad');
    await store.pool.query('UPDATE carrier_callbacks SET attempts = 9');
    startRunner(() => Promise.reject(new TypeError('no')));
    await waitFor('the callback to be set aside', () => count('set_aside_at IS NOT NULL AND attempts = 10'));
    expect(await claimCallbacks(store.pool, 10)).toEqual([]);
    expect(JSON.parse(logLines.at(-1) as string)).toMatchObject({ level: 50, carrier: 'meta', error: 'TypeError' });
  });

  it('the callback runner reads only the rows it claims, even with a plan made while the table was empty', async () => {
    // PostgreSQL may switch a prepared statement to a generic plan after five executions.
    const pool = openPool({ url: store.url, size: 1, log: pino({ level: 'silent' }), byKeyOnly: true });
    await store.pool.query('ANALYZE carrier_callbacks');
    for (let time = 0; time < 8; time += 1) expect(await claimCallbacks(pool, 500)).toEqual([]);
    await store.pool.query(
      `INSERT INTO carrier_callbacks (carrier, body) SELECT 'meta', convert_to('{}', 'UTF8') FROM generate_series(1, 10000)`,
    );
    const { rows } = await pool.query('EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "callbacks-claim" (500, 60, 1048576)');
    const readCount = countReadRows(rows[0]['QUERY PLAN'][0].Plan);
    expect(readCount).toBeGreaterThanOrEqual(500);
    expect(readCount).toBeLessThan(5_000);
    await pool.end();
  });

  it('the callback runner deletes callbacks five weeks after they were set aside', async () => {
    await storeCallbacks('old', 'recent', 'waiting');
    const { rows } = await store.pool.query('SELECT id FROM carrier_callbacks ORDER BY id');
    for (const [index, days] of [36, 34].entries()) {
      await store.pool.query(
        `UPDATE carrier_callbacks SET set_aside_at = now() - $2 * interval '1 day' WHERE id = $1`,
        [rows[index].id, days],
      );
    }
    const log = pino({ level: 'silent' });
    await new Maintenance({ pool: store.pool, log, clock: systemClock, retentionDays: 0 }).sweep();
    const remaining = await store.pool.query('SELECT body FROM carrier_callbacks ORDER BY id');
    expect(remaining.rows.map(readBody)).toEqual(['recent', 'waiting']);
  });

  it('the callback runner does not blame callbacks for an unavailable database', async () => {
    let tries = 0;
    await storeCallbacks('1', '2');
    startRunner(async () => {
      tries += 1;
      throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    });
    await waitFor('the warning', () => logLines.length > 0);
    expect(tries).toBe(1);
    expect(await count('attempts = 1 AND lease_until > now()')).toBe(2);
  });

  it('the callback runner takes over callbacks of a dead process when the lease ends or is released', async () => {
    await storeCallbacks('1');
    expect(await claimCallbacks(store.pool, 10)).toHaveLength(1);
    expect(await claimCallbacks(store.pool, 10)).toEqual([]);
    const processed: ClaimedCallback[] = [];
    const apply = async (batch: readonly ClaimedCallback[]) => void processed.push(...batch);
    startRunner(apply);
    await store.pool.query(`UPDATE carrier_callbacks SET lease_until = now() - interval '1 second'`);
    await waitFor('the second attempt', () => processed.length === 1);
    expect(processed[0]).toMatchObject({ carrier: 'meta', attempts: 2 });

    await runners.pop()?.stop();
    await storeCallbacks('2');
    await claimCallbacks(store.pool, 10);
    await releaseCallbacks(store.pool);
    startRunner(apply);
    await waitFor('the second', () => processed.length === 2);
  });
});
