import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { code, renderTable, replaceSections } from '../../../scripts/lib/docs-reference/markers.mjs';
import { readLaneDepths } from '../../../src/messages/queue/depth-store.js';
import { LogOutput } from '../../../src/platform/log/log-output.js';
import { Exposition } from '../../../src/platform/metrics/exposition.js';
import type { Sample } from '../../../src/platform/metrics/metric.js';
import { createPrimaryMetrics } from '../../../src/platform/store/servers/primary-metrics.js';
import { ReplicaReads } from '../../../src/platform/store/servers/replica.js';
import { ReplicaAge } from '../../../src/platform/store/servers/replica-age.js';
import { createReplicaMetrics } from '../../../src/platform/store/servers/replica-metrics.js';
import { clusterMetrics } from '../../../src/process/cluster/combined-metrics.js';
import { openMetrics } from '../../../src/process/metrics/open-metrics.js';
import { createTestAccount } from '../../support/accounts.js';
import { describePromtool, runPromtool } from '../../support/processes/promtool.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';
import { accept, countStatuses, ORDINARY_NUMBER, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const DEPLOY = join(PROJECT_FOLDER, 'deploy');
const TOKEN = 'a-token-of-the-tests';
const heliograph = suiteApp({
  settings: { METRICS_PORT: '0', METRICS_TOKEN: TOKEN, BACKUP_EVERY: '31d', BACKUP_FOLDER: tmpdir() },
});

let metricsServer: NonNullable<Awaited<ReturnType<typeof openMetrics>>>;
beforeAll(async () => {
  const metrics = await openMetrics(heliograph.config, heliograph.deps);
  if (!metrics) throw new Error('METRICS_PORT is set, and nothing listens');
  metricsServer = metrics;
});
afterAll(() => metricsServer?.app.close());

const requestMetrics = (headers: Record<string, string> = {}) => fetch(metricsServer.url, { headers });

async function scrape(): Promise<string> {
  const response = await requestMetrics({ authorization: `Bearer ${TOKEN}` });
  expect(response.status).toBe(200);
  return response.text();
}

function readSample(text: string, sample: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${sample} `));
  return line ? Number(line.slice(sample.length + 1)) : 0;
}

/** `samples` contains the expected growth by metric name, without the prefix `heliograph_`. */
function expectGrowth(metricsBefore: string, metricsAfter: string, samples: Record<string, number>): void {
  const names = Object.keys(samples).map((sample) => [sample, `heliograph_${sample}`] as const);
  const growth = names.map(([sample, name]) => [
    sample,
    readSample(metricsAfter, name) - readSample(metricsBefore, name),
  ]);
  expect(Object.fromEntries(growth)).toEqual(samples);
}

describe('GET /metrics', () => {
  it('requires METRICS_TOKEN', async () => {
    expect((await requestMetrics()).status).toBe(401);
    expect((await requestMetrics({ authorization: `Bearer ${TOKEN}x` })).status).toBe(401);
    expect((await requestMetrics({ authorization: TOKEN })).status).toBe(401);
    const response = await requestMetrics({ authorization: `Bearer ${TOKEN}` });
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await response.text()).toContain('nodejs_eventloop_lag_p99_seconds ');
  });

  it('is the only path on its port', async () => {
    const otherPathResponse = await fetch(new URL('/health/live', metricsServer.url));
    expect(otherPathResponse.status).toBe(404);
    expect((await heliograph.app.inject({ url: '/metrics' })).statusCode).toBe(404);
  });

  it('names the setting to change if its port is in use', async () => {
    const metricsPort = Number(new URL(metricsServer.url).port);
    await expect(openMetrics({ ...heliograph.config, metricsPort }, heliograph.deps)).rejects.toThrow(
      `Another program uses port ${metricsPort} of 127.0.0.1. Stop it, or set METRICS_PORT to a free port.`,
    );
  });

  it('counts requests by operation and status class, and refusals by reason', async () => {
    const metricsBefore = await scrape();
    await heliograph.app.inject({ url: '/health/live' });
    await heliograph.app.inject({ method: 'POST', url: '/v2/send', payload: {} });
    await heliograph.app.inject({ url: '/no/such/thing' });
    const metricsAfter = await scrape();
    expectGrowth(metricsBefore, metricsAfter, {
      'http_requests_total{operation="healthLive",status="2xx"}': 1,
      'http_requests_total{operation="send",status="4xx"}': 1,
      'http_requests_total{operation="unknown",status="4xx"}': 1,
      'http_refusals_total{reason="unauthorized"}': 1,
      'http_refusals_total{reason="not_found"}': 1,
      'http_request_duration_seconds_count{operation="healthLive"}': 1,
      'http_request_duration_seconds_bucket{operation="healthLive",le="+Inf"}': 1,
    });
  });
});

describe('messages', () => {
  it('are counted from acceptance to receipt, with the duration of each step', async () => {
    const account = await createTestAccount(heliograph.deps);
    const metricsBefore = await scrape();
    await accept(heliograph.deps, account, { to: [ORDINARY_NUMBER, '15005550101'], priority: 3 });
    await accept(heliograph.deps, account, { to: '15005550001' });
    await waitFor('the final status of the messages', async () => {
      const { delivered, failed } = await countStatuses(heliograph.deps, account.id);
      return delivered === 2 && failed === 1;
    });
    const expectedGrowth = {
      'messages_accepted_total{kind="sms",lane="urgent"}': 2,
      'messages_accepted_total{kind="sms",lane="bulk"}': 1,
      'carrier_submissions_total{carrier="simulator",outcome="taken"}': 2,
      'carrier_submissions_total{carrier="simulator",outcome="refused"}': 1,
      'receipts_total{carrier="simulator",status="delivered"}': 2,
      'message_statuses_total{status="sent"}': 2,
      'message_statuses_total{status="delivered"}': 2,
      'message_statuses_total{status="failed"}': 1,
    };
    // The server counts a status a moment after it becomes visible.
    const metricsAfter = await waitFor('the messages to be counted', async () => {
      const text = await scrape();
      expectGrowth(metricsBefore, text, expectedGrowth);
      return text;
    });
    for (const step of ['sent', 'delivered']) {
      expectGrowth(metricsBefore, metricsAfter, {
        [`message_${step}_delay_seconds_count{lane="urgent"}`]: 2,
        [`message_${step}_delay_seconds_count{lane="bulk"}`]: 0,
        [`message_${step}_delay_seconds_bucket{lane="urgent",le="30"}`]: 2,
      });
    }
    expectGrowth(metricsBefore, metricsAfter, {
      'group_commit_batch_size_sum{group="accept"}': 3,
      'group_commit_duration_seconds_count{group="accept"}': 2,
    });
  });

  it('are reported by lane while queued, with the age of the oldest', async () => {
    const { pool } = heliograph.deps;
    const account = await createTestAccount(heliograph.deps);
    const [id] = await accept(heliograph.deps, account, { priority: 1 });
    await waitForAllMessages(heliograph.deps, account.id, 'delivered');
    await pool.query(
      `UPDATE messages SET status = 'queued', created_at = now() - interval '5 minutes', next_look = now() + interval '1 hour'
       WHERE id = $1`,
      [id],
    );
    const [urgent, bulk] = await readLaneDepths(pool);
    expect(urgent).toEqual({ lane: 'urgent', waiting: 0, oldestMs: 0 });
    expect(bulk).toEqual({ lane: 'bulk', waiting: 1, oldestMs: expect.closeTo(300_000, -5) });
    await pool.query('DELETE FROM messages WHERE id = $1', [id]);
  });
});

describe('the connection pools', () => {
  it('are reported without the connections that read the metrics', async () => {
    expect(await scrape()).toContain('heliograph_db_pool_waiting{pool="general"} 0\n');
  });
});

describe('a metric that cannot be read', () => {
  it('is left out, and the other metrics are returned', async () => {
    const failedMetrics: string[] = [];
    const createMetric = (name: string, read: () => Promise<Iterable<Sample>>) => {
      return { name, help: name, type: 'gauge', read } as const;
    };
    const exposition = new Exposition(
      [
        createMetric('heliograph_one', async () => [{ value: 1 }]),
        createMetric('heliograph_two', () => Promise.reject(new Error('the store is away'))),
      ],
      { includesProcess: false, onFailure: (_error, metric) => failedMetrics.push(metric) },
    );
    const text = `${await exposition.text()}${await exposition.text()}`;
    expect(readSample(text, 'heliograph_one')).toBe(1);
    expect(text).not.toMatch(/^heliograph_two /m);
    expect(text).toContain('heliograph_metrics_read_failures_total 1');
    expect(failedMetrics).toEqual(['heliograph_two', 'heliograph_two']);
  });
});

describe('docs/reference/metrics.md', () => {
  /** `npx vitest run test/surfaces/metrics --update` writes the table. */
  it('lists all metrics with type, labels and help', async () => {
    const path = join(PROJECT_FOLDER, 'docs/reference/metrics.md');
    const { pool, prisma, log, metrics } = heliograph.deps;
    const primary = { pool, prisma };
    const replica = new ReplicaReads({ primary, replica: primary, age: new ReplicaAge(pool, 1), log });
    const allMetrics = new Exposition(
      [
        ...metrics,
        ...new LogOutput().metrics(),
        ...clusterMetrics(() => ({ ready: 2, unexpectedExits: 0 }), 2),
        ...createPrimaryMetrics({ moves: 0, abandonedCount: 0 }),
        ...createReplicaMetrics(replica),
      ],
      { includesProcess: false, onFailure: () => undefined },
    ).metrics;
    const rows = allMetrics
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ name, type, labels = [], help }) => [code(name), type, labels.map(code).join(', '), help]);
    const table = renderTable(['metric', 'type', 'labels', 'meaning'], rows);
    const page = replaceSections(readFileSync(path, 'utf8'), new Map([['metrics', table]]), 'metrics.md');
    await expect(page).toMatchFileSnapshot(path);
  });
});

describe('deploy/', () => {
  it('contains only metrics that exist', async () => {
    const text = await scrape();
    const knownMetrics = new Set(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
    for (const file of ['prometheus/heliograph.rules.yml', 'grafana/dashboards/heliograph.json']) {
      const usedMetrics = findExpressions(parse(readFileSync(join(DEPLOY, file), 'utf8'))).flatMap(
        (expression) => expression.match(/\b(?:heliograph|nodejs|process)_\w+/g) ?? [],
      );
      expect(usedMetrics.length, file).toBeGreaterThan(10);
      expect(usedMetrics.filter((name) => !knownMetrics.has(name))).toEqual([]);
    }
  });
});

/** Finds the values of all `expr` and `query` fields in a document. */
function findExpressions(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    (key === 'expr' || key === 'query') && typeof value === 'string' ? [value] : findExpressions(value),
  );
}

describePromtool('promtool check rules and check config', () => {
  it('contains rules in which promtool finds no errors', () => {
    const rules = join(DEPLOY, 'prometheus', 'heliograph.rules.yml');
    expect(runPromtool(['check', 'rules', rules])).toMatchObject({
      code: 0,
      output: expect.stringContaining('SUCCESS'),
    });
    const wrongRules = readFileSync(rules, 'utf8').replace('up{job="heliograph"} == 0', 'up{job="heliograph"} ==');
    expect(runPromtool(['check', 'rules'], wrongRules).code).not.toBe(0);
    const config = join(DEPLOY, 'prometheus', 'prometheus.yml');
    expect(runPromtool(['check', 'config', '--syntax-only', config])).toMatchObject({ code: 0 });
  });
});

describePromtool('promtool check metrics', () => {
  it('returns metrics in which promtool finds no errors', async () => {
    const text = await scrape();
    expect(text).toContain('# TYPE heliograph_build_info gauge');
    expect(runPromtool(['check', 'metrics'], text)).toEqual({ code: 0, output: '' });
    const wrongText = text.replaceAll('heliograph_build_info', 'heliograph_build_total');
    expect(runPromtool(['check', 'metrics'], wrongText).output).toContain('heliograph_build_total');
  });
});
