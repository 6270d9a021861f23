import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { StandbyPair } from '../../chaos/world/replicated/standby.mjs';
import { openMetrics } from '../../src/process/metrics/open-metrics.js';
import { createTestAccount, type TestAccount } from '../support/accounts.js';
import { closersForEachTest } from '../support/for-suite.js';
import { openFolder } from '../support/open-folder.js';
import { createTestOperator, type TestOperator } from '../support/operators.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

const MAX_AGE_MS = 2_000;
/** Milliseconds for which a read waits for a server that no longer responds. */
const DATABASE_TIMEOUT_MS = 20_000;
const closers = closersForEachTest();

class Writers {
  readonly acknowledged: { id: string; at: number }[] = [];
  #stopping = false;
  #running: Promise<void>[] = [];

  start({ app }: TestApp, account: TestAccount, count: number): void {
    const payload = { to: '15005550100', from: 'Replica', channel: 'sms', message: 'Where is it read?' };
    this.#running = Array.from({ length: count }, async () => {
      while (!this.#stopping) {
        const response = await app.inject({ method: 'POST', url: '/v2/send', headers: account.headers, payload });
        expect(response.statusCode, response.body).toBe(200);
        this.acknowledged.push({ id: response.json().data[0].message_id, at: performance.now() });
        await pause(20);
      }
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }
}

interface Read {
  startedAt: number;
  tookMs: number;
  /** Age of the oldest acknowledged message that is missing from the result, or 0 if none is missing. */
  ageMs: number;
}

class Readers {
  readonly reads: Read[] = [];
  #stopping = false;
  #running: Promise<void>[] = [];

  start(operator: TestOperator, { id }: TestAccount, { acknowledged }: Writers, count: number): void {
    this.#running = Array.from({ length: count }, async () => {
      while (!this.#stopping) {
        const [startedAt, acknowledgedCount] = [performance.now(), acknowledged.length];
        const response = await operator.ask('GET', `/accounts/${id}/messages`);
        expect(response.statusCode, response.body).toBe(200);
        const newest: string = response.json().data[0]?.id ?? '';
        const missing = acknowledged.slice(0, acknowledgedCount).find((message) => message.id > newest);
        this.reads.push({
          startedAt,
          tookMs: performance.now() - startedAt,
          ageMs: missing ? startedAt - missing.at : 0,
        });
        await pause(20);
      }
    });
  }

  since(moment: number): Read[] {
    return this.reads.filter(({ startedAt }) => startedAt >= moment);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#running);
  }
}

/** Reads the replica metrics by name, without the prefix `heliograph_replica_`. */
async function scrape(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('heliograph_replica_'));
  const samples = lines.map((line) => line.slice('heliograph_replica_'.length).split(' '));
  return Object.fromEntries(samples.map(([name, value]) => [name, Number(value)]));
}

const listStates = (samples: Record<string, number>) =>
  ['young', 'too_old', 'away'].filter((state) => samples[`state{state="${state}"}`] === 1);

it('a replica that lags, crashes or freezes is not read, and no request fails', async () => {
  const folder = openFolder('heliograph-replica-');
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const pair = new StandbyPair(folder, { isSynchronous: false });
  closers.push(() => pair.close());
  await pair.open();
  // If replay pauses while autovacuum truncates a catalog, nobody can connect to the replica until replay continues.
  await pair.primary.query('ALTER SYSTEM SET autovacuum = off');
  await pair.primary.query('SELECT pg_reload_conf()');
  const heliograph = await testApp({
    settings: {
      ...{ DATABASE_URL: pair.primary.url(), DATABASE_READ_URL: pair.standby.url(), METRICS_PORT: '0' },
      DATABASE_READ_MAX_AGE_MS: String(MAX_AGE_MS),
      DATABASE_TIMEOUT_MS: String(DATABASE_TIMEOUT_MS),
    },
  });
  closers.push(() => heliograph.close());
  const metrics = await openMetrics(heliograph.config, heliograph.deps);
  closers.push(async () => metrics?.app.close());
  const readMetrics = () => scrape(metrics?.url ?? '');
  const waitForState = (state: string) =>
    waitFor(`the replica to be ${state}`, async () => {
      const samples = await readMetrics();
      expect(listStates(samples), JSON.stringify(samples)).toEqual([state]);
      return samples;
    });
  // Enough for all messages that the writers can send during the test.
  const account = await createTestAccount(heliograph.deps, { creditMicros: 1_000_000_000_000n });
  const operator = await createTestOperator(heliograph);
  const writers = new Writers();
  const readers = new Readers();
  writers.start(heliograph, account, 4);
  closers.push(() => writers.stop());
  readers.start(operator, account, writers, 3);
  closers.push(() => readers.stop());
  /** Expects further reads from the given server, and none from the replica while reads use the primary. */
  const expectReads = async (from: string, reason: string) => {
    const metricsBefore = await readMetrics();
    const target = readers.reads.length + 30;
    await waitFor('further reads', () => readers.reads.length > target);
    const metricsAfter = await readMetrics();
    const increased = Object.keys(metricsAfter).filter(
      (name) => /^reads_total/.test(name) && metricsAfter[name] !== (metricsBefore[name] ?? 0),
    );
    expect(increased).toContain(`reads_total{from="${from}",reason="${reason}"}`);
    if (from === 'primary') expect(increased.filter((name) => name.includes('from="replica"'))).toEqual([]);
    return metricsAfter;
  };
  const findOldest = (reads: Read[]) => Math.max(...reads.map(({ ageMs }) => ageMs));
  const findLongest = (reads: Read[]) => Math.max(...reads.map(({ tookMs }) => tookMs));

  await waitForState('young');
  const youngSamples = await expectReads('replica', 'young');
  expect(youngSamples.age_seconds).toBeLessThanOrEqual(MAX_AGE_MS / 1_000);

  await pair.setReplay(false);
  await waitForState('too_old');
  const oldSamples = await expectReads('primary', 'too_old');
  expect(oldSamples.age_seconds ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(MAX_AGE_MS / 1_000);
  await pair.setReplay(true);
  await waitForState('young');
  await expectReads('replica', 'young');

  await pair.standby.end('SIGKILL');
  await waitForState('away');
  expect(await expectReads('primary', 'away')).not.toHaveProperty('age_seconds');
  await pair.bringBackStandby();
  await waitForState('young');
  await expectReads('replica', 'young');

  pair.standby.signal('SIGSTOP');
  await waitForState('away');
  // Queries that started earlier wait for their timeout, but later queries go to the primary immediately.
  const abandonedAt = performance.now();
  await expectReads('primary', 'away');
  expect(findLongest(readers.since(abandonedAt))).toBeLessThan(DATABASE_TIMEOUT_MS / 2);
  pair.standby.signal('SIGCONT');
  await waitForState('young');
  await expectReads('replica', 'young');

  await Promise.all([writers.stop(), readers.stop()]);
  expect(findOldest(readers.reads)).toBeLessThanOrEqual(MAX_AGE_MS);
});
