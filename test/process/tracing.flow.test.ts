import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSink, type Sink } from '../features/webhooks/sink.js';
import { createTestAccount, type TestAccount } from '../support/accounts.js';
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.js';
import { type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { suiteApp } from '../support/suite.js';
import { waitFor } from '../support/wait-for.js';

/** Script that prints the number of loaded OpenTelemetry modules when the process exits. */
const COUNTS_MODULES = `import { createRequire } from 'node:module';
import { writeSync } from 'node:fs';
const { cache } = createRequire('/');
const isTracing = (path) => /node_modules.(@opentelemetry|@fastify.otel|bullmq-otel)/.test(path);
process.on('exit', () => writeSync(1, 'traced by ' + Object.keys(cache).filter(isTracing).length + ' modules'));`;

const TRACE = 'aaaabbbbccccddddeeeeffff00001111';
const CALLER = '1111222233334444';
const NUMBER = '15005550100';
const TEXT = 'An unheard text';

const heliograph = suiteApp({ role: 'api' });
const processes: ServerProcess[] = [];
let collector: Collector;
let sink: Sink;
let account: TestAccount;
let api: ServerProcess;

async function start(role: string, queuePrefix: string, settings: Record<string, string>): Promise<ServerProcess> {
  const server = await startServerProcess({
    settings: {
      DATABASE_URL: heliograph.databaseUrl,
      QUEUE_PREFIX: queuePrefix,
      ROLE: role,
      SEED_DEMO: 'false',
      SIMULATOR_DELAY_MS: '50',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COUNTS_MODULES)}`,
      ...settings,
    },
  });
  processes.push(server);
  return server;
}

beforeAll(async () => {
  [collector, sink, account] = await Promise.all([startCollector(), openSink(), createTestAccount(heliograph.deps)]);
  const createTracingSettings = (service: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_SERVICE_NAME: service,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
  });
  const { queuePrefix } = heliograph;
  [api] = await Promise.all([
    start('api', queuePrefix, createTracingSettings('api')),
    start('worker', queuePrefix, createTracingSettings('worker')),
  ]);
  await call('POST', '/v2/webhooks', { url: sink.url, events: ['message.status'] });
});
afterAll(async () => {
  await Promise.all([...processes.map((server) => server.stop('SIGKILL')), collector?.close(), sink?.close()]);
});

async function call(method: string, path: string, body?: object, headers: Record<string, string> = {}, server = api) {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { ...account.headers, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { data: { message_id: string }[] } };
}

async function send(headers: Record<string, string> = {}, server?: ServerProcess): Promise<string> {
  const { status, body } = await call('POST', '/v2/send', { to: NUMBER, from: 'Shop', message: TEXT }, headers, server);
  expect(status).toBe(200);
  return body.data[0]?.message_id as string;
}

const readRow = (id: string) => heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
const waitForDelivery = (id: string) => waitFor('the delivery', async () => (await readRow(id)).status === 'delivered');
const waitForWebhook = (id: string, status: string) =>
  waitFor(`the webhook of ${status}`, () =>
    sink.received.find(({ event: { data } }) => data.messageId === id && data.status === status),
  );

describe('a trace of a message', () => {
  it('connects the caller, the request, the job, the carrier, the receipt and the webhooks', async () => {
    const id = await send({ traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'order-17' });
    const hooks = [await waitForWebhook(id, 'sent'), await waitForWebhook(id, 'delivered')];
    const spans = await waitFor('every span', () => {
      const traceSpans = collector.spans.filter(({ traceId }) => traceId === TRACE);
      return traceSpans.filter(({ name }) => name === 'POST').length === 2 && traceSpans.length >= 8 && traceSpans;
    });
    const onlySpan = (name: string): CollectedSpan => {
      const [span, ...extraSpans] = spans.filter((candidate) => candidate.name.startsWith(name));
      expect(
        extraSpans.map(({ attributes }) => attributes),
        name,
      ).toEqual([]);
      return span ?? expect.fail(`no span ${name} among ${spans.map((candidate) => candidate.name)}`);
    };
    const request = onlySpan('POST /v2/send');
    expect(request).toMatchObject({
      service: 'api',
      kind: 2,
      parentSpanId: CALLER,
      attributes: { 'http.route': '/v2/send', 'http.response.status_code': 200, 'heliograph.request.id': 'order-17' },
    });
    const added = onlySpan('add ');
    expect(added).toMatchObject({ service: 'api', scope: 'bullmq', parentSpanId: request.spanId });
    const job = onlySpan(`process ${heliograph.queuePrefix}`);
    expect(job).toMatchObject({ service: 'worker', scope: 'bullmq', parentSpanId: added.spanId });
    const processed = onlySpan('process message');
    expect(processed).toMatchObject({
      service: 'worker',
      kind: 5,
      parentSpanId: request.spanId,
      links: [{ spanId: job.spanId }],
      attributes: { 'messaging.message.id': id, 'heliograph.message.outcome': 'sent' },
    });
    expect(onlySpan('send simulator')).toMatchObject({ service: 'worker', kind: 3, parentSpanId: processed.spanId });
    expect(onlySpan('process receipt')).toMatchObject({
      service: 'worker',
      parentSpanId: request.spanId,
      attributes: { 'messaging.message.id': id, 'heliograph.message.outcome': 'delivered' },
    });
    const calls = spans.filter(({ name }) => name === 'POST');
    for (const call of calls) {
      expect(call).toMatchObject({
        service: 'worker',
        kind: 3,
        parentSpanId: request.spanId,
        attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 204 },
      });
    }
    expect(hooks.map(({ headers }) => headers.traceparent).sort()).toEqual(
      calls.map(({ spanId }) => `00-${TRACE}-${spanId}-01`).sort(),
    );
  });

  it('is neither stored nor sent to the webhook if the caller does not sample it', async () => {
    const id = await send({ traceparent: `00-${'c'.repeat(32)}-${CALLER}-00`, 'x-request-id': 'order-18' });
    expect((await waitForWebhook(id, 'delivered')).headers.traceparent).toBeUndefined();
    expect(await readRow(id)).toMatchObject({ traceparent: null, requestId: 'order-18' });
  });

  it('contains error codes, but no phone numbers, texts or webhook paths', async () => {
    const spanCount = collector.spans.length;
    expect((await call('GET', `/v2/messages?to=${NUMBER}`)).status).toBe(200);
    expect((await call('GET', `/v2/opt-outs/${NUMBER}`)).status).toBe(404);
    expect((await call('POST', '/v2/send', { to: `x${NUMBER}`, from: 'Shop', message: TEXT })).status).toBe(400);
    const refused = await call('POST', '/v2/send', { to: '15005550001', from: 'Shop', message: TEXT });
    expect(refused.status).toBe(200);
    const requestSpan = (status: number) =>
      collector.spans.slice(spanCount).find(({ attributes }) => attributes['http.response.status_code'] === status);
    const carrier = await waitFor('the span of the carrier', () =>
      collector.spans.slice(spanCount).find(({ name }) => name === 'send simulator'),
    );
    const bad = await waitFor('the spans of the requests', () => requestSpan(404) && requestSpan(400));
    expect(carrier).toMatchObject({ status: { code: 2 }, attributes: { 'error.type': 'REFUSED' } });
    expect(bad.status).toEqual({ code: 0 });
    expect(collector.bodies.join()).not.toMatch(/15005550|unheard|\/hook\b|hg_live_/);
  });
});

describe('an unavailable collector', () => {
  it('does not affect sending or the shutdown, and is logged once with a count', async () => {
    await collector.close();
    await waitForDelivery(await send());
    await waitFor('the line', () => api.output().includes('traces cannot be sent'));
    await waitForDelivery(await send());
    expect(await api.stop()).toBe(0);
    expect(api.output().match(/traces cannot be sent/g)).toHaveLength(1);
    expect(api.output()).toMatch(/"lost":\d+,"msg":"the last traces could not be sent"/);
  });
});

describe('a server without tracing', () => {
  it('does not load OpenTelemetry', async () => {
    const plain = await start('all', `${heliograph.queuePrefix}-plain`, {});
    await waitForDelivery(await send({ traceparent: `00-${TRACE}-${CALLER}-01` }, plain));
    expect(await plain.stop()).toBe(0);
    expect(plain.output()).toMatch(/traced by 0 modules/);
    await api.stop();
    expect(api.output()).toMatch(/traced by \d{2,} modules/);
  });
});
